class DriverConfig:
    def __init__(self):
        self._active = None

    @property
    def active(self):
        return self._active

    def set_active(self, driver):
        self._active = driver


driver = DriverConfig()
