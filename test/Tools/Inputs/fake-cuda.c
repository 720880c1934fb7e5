// A CUDA driver without a GPU, for tests of everything around a launch: memory is host memory, a launch does nothing (or, with
// FAKE_CUDA=fail, is refused), so outputs stay poisoned. FAKE_CUDA=nodevice: no device; =nokernel: the cubin has another kernel;
// =nosmem: too little shared memory; =nocluster: no cluster fits. Events are 0.25 ms apart.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is(const char *mode) {
  const char *set = getenv("FAKE_CUDA");
  return set && !strcmp(set, mode);
}
int cuInit(unsigned f) { return is("nodevice") ? 100 : 0; }
int cuDriverGetVersion(int *v) { return *v = 13000, 0; }
int cuDeviceGetCount(int *n) { return *n = 1, 0; }
int cuDeviceGet(int *d, int i) { return *d = i, 0; }
int cuDeviceGetName(char *s, int n, int d) { return strncpy(s, "fake GPU", n), 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { return *v = 132, 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { return *c = 0, 0; }
int cuCtxSetCurrent(void *c) { return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuMemAlloc_v2(unsigned long long *p, size_t n) { return *p = (uintptr_t)aligned_alloc(256, (n + 255) / 256 * 256), 0; }
int cuMemFree_v2(unsigned long long p) { return free((void *)p), 0; }
int cuMemcpyHtoD_v2(unsigned long long d, const void *s, size_t n) { return memcpy((void *)d, s, n), 0; }
int cuMemcpyDtoH_v2(void *d, unsigned long long s, size_t n) { return memcpy(d, (void *)s, n), 0; }
int cuMemsetD8_v2(unsigned long long d, unsigned char v, size_t n) { return memset((void *)d, v, n), 0; }
int cuModuleLoadData(void **m, const void *i) { return *m = 0, 0; }
int cuModuleGetFunction(void **f, void *m, const char *n) { return *f = 0, is("nokernel") ? 500 : 0; }
int cuFuncSetAttribute(void *f, int a, int v) { return is("nosmem") ? 1 : 0; }
int cuLaunchKernel(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned s, void *t, void **p, void **x) {
  return is("fail") ? 719 : 0;
}
int cuOccupancyMaxActiveClusters(int *n, void *f, const void *c) { return *n = is("nocluster") ? 0 : 32, 0; }
int cuEventCreate(void **e, unsigned f) { return *e = 0, 0; }
int cuEventRecord(void *e, void *s) { return 0; }
int cuEventSynchronize(void *e) { return 0; }
int cuEventElapsedTime(float *ms, void *a, void *b) { return *ms = 0.25f, 0; }
int cuGetErrorString(int c, const char **s) { return *s = "unspecified launch failure", 0; }
int cuTensorMapEncodeTiled(void *m, int t, uint32_t r, void *a, const uint64_t *d, const uint64_t *s, const uint32_t *b,
                           const uint32_t *e, int i, int w, int l, int o) {
  return 0;
}
