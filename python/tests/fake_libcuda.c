// A stand-in for the CUDA driver: checks what it is given as the driver does, notes every call that matters in the file
// $FAKE_CUDA_LOG, and runs nothing. The tests compile it and name it in HEDDLE_LIBCUDA.
//
// FAKE_CUDA_CAPABILITY   "9.0" by default
// FAKE_CUDA_TIMES        "H T": milliseconds between two events with and without one of our launches between them
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Good = 0, InvalidValue = 1 };

static int Launches;
static void *Context;

static void note(const char *text) {
  const char *path = getenv("FAKE_CUDA_LOG");
  FILE *log = path ? fopen(path, "a") : NULL;
  if (!log)
    return;
  fprintf(log, "%s\n", text);
  fclose(log);
}

int cuInit(unsigned flags) { return flags ? InvalidValue : Good; }
int cuGetErrorString(int code, const char **text) {
  *text = code == InvalidValue ? "invalid argument" : "unknown";
  return Good;
}
int cuCtxGetCurrent(void **context) {
  *context = Context;
  return Good;
}
int cuDeviceGet(int *device, int number) {
  *device = number;
  return Good;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  (void)device;
  *context = &Context;
  return Good;
}
int cuCtxSetCurrent(void *context) {
  Context = context;
  return Good;
}
int cuCtxGetDevice(int *device) {
  *device = 0;
  return Good;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  const char *given = getenv("FAKE_CUDA_CAPABILITY");
  const char *capability = given ? given : "9.0";
  (void)device;
  *value = attribute == 75 ? capability[0] - '0' : attribute == 76 ? capability[2] - '0' : 132;
  return Good;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  static uint64_t next = 0x7000000000;
  *address = next;
  next += (bytes + 255) / 256 * 256;
  return Good;
}
int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes) {
  return address && !value && bytes ? Good : InvalidValue;
}
int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, void *stream) {
  char text[64];
  snprintf(text, sizeof text, "clear %zu stream %zu", bytes, (size_t)stream);
  note(text);
  return cuMemsetD8_v2(address, value, bytes);
}
int cuMemFree_v2(uint64_t address) {
  note("free");
  return address ? Good : InvalidValue;
}
int cuStreamSynchronize(void *stream) { return stream ? InvalidValue : Good; }

int cuModuleLoadData(void **module, const void *image) {
  *module = (void *)image;
  return memcmp(image, "\177ELF", 4) ? InvalidValue : Good;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  *function = strdup(name);
  return Good;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function;
  return attribute == 8 && value <= 232448 ? Good : InvalidValue;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  (void)attribute, (void)function;
  *value = 0;
  return Good;
}

int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int l2, int oob) {
  (void)type, (void)steps, (void)interleave, (void)l2, (void)oob;
  if ((uintptr_t)map % 64 || (uintptr_t)address % 16 || rank < 1 || rank > 5 || swizzle < 0 || swizzle > 3)
    return InvalidValue;
  char text[512];
  int at = snprintf(text, sizeof text, "map");
  for (uint32_t i = 0; i < rank; ++i) {
    if (dims[i] < 1 || dims[i] > (1ull << 32) || box[i] < 1 || box[i] > 256)
      return InvalidValue;
    if (i && (strides[i - 1] % 16 || strides[i - 1] >= (1ull << 40)))
      return InvalidValue;
    at += snprintf(text + at, sizeof text - at, " %llu/%u", (unsigned long long)dims[i], box[i]);
    if (i)
      at += snprintf(text + at, sizeof text - at, "@%llu", (unsigned long long)strides[i - 1]);
  }
  memset(map, 0x5a, 128);
  note(text);
  return Good;
}

int cuTensorMapReplaceAddress(void *map, void *address) {
  note("moved");
  return (uintptr_t)map % 64 || (uintptr_t)address % 16 || *(unsigned char *)map != 0x5a ? InvalidValue : Good;
}

struct Config {
  unsigned x, y, z, threads, threadsY, threadsZ, smem;
  void *stream, *attributes;
  unsigned count;
};

int cuOccupancyMaxActiveClusters(int *clusters, void *function, const struct Config *c) {
  const char *given = getenv("FAKE_CUDA_CLUSTERS");
  (void)function;
  if (!c->x || !c->threads || c->count)
    return InvalidValue;
  *clusters = given ? atoi(given) : 32;
  return Good;
}

int cuLaunchKernelEx(const struct Config *c, void *function, void **params, void **extra) {
  char text[256];
  if (!c->x || !c->y || !c->z || !c->threads || c->threadsY != 1 || c->threadsZ != 1 || c->count || !params || extra)
    return InvalidValue;
  snprintf(text, sizeof text, "launch %s %u,%u,%u block %u smem %u stream %llu", (char *)function, c->x, c->y, c->z,
           c->threads, c->smem, (unsigned long long)(uintptr_t)c->stream);
  note(text);
  ++Launches;
  return Good;
}

int cuStreamIsCapturing(void *stream, int *status) {
  (void)stream;
  *status = getenv("FAKE_CUDA_CAPTURING") != NULL;
  return Good;
}
struct Event {
  int launches, number, asked;
};
static int Recorded;
int cuEventCreate(void **event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof(struct Event));
  return Good;
}
int cuEventRecord(void *pointer, void *stream) {
  (void)stream;
  struct Event *event = pointer;
  event->launches = Launches;
  event->number = ++Recorded;
  return Good;
}
/* With FAKE_CUDA_BUSY the GPU is behind the host: the last event is not through when it is asked for first. */
int cuEventQuery(void *pointer) {
  struct Event *event = pointer;
  int isNew = event->number == Recorded && event->asked++ == 0;
  return getenv("FAKE_CUDA_BUSY") && isNew ? 600 : Good;
}
int cuCtxSynchronize(void) { return Good; }
int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  float ours = 1, theirs = 2;
  const char *given = getenv("FAKE_CUDA_TIMES");
  if (given)
    sscanf(given, "%f %f", &ours, &theirs);
  *milliseconds = ((struct Event *)end)->launches > ((struct Event *)start)->launches ? ours : theirs;
  return Good;
}
int cuEventDestroy_v2(void *event) {
  free(event);
  return Good;
}
