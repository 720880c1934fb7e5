class DriverConfig:
    def __init__(self):
        self._active = None

    def set_active(self, driver):
        self._active = driver


driver = DriverConfig()
