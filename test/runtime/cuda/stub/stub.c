/* The stub driver: calls, handles, errors, devices, contexts. */
#include "stub.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

object *stub_objects;
static struct {
  int initialised, retained, logged;
  char log[1 << 16];
  struct {
    const char *name;
    int count;
  } calls[80];
} state;
static _Thread_local int depth; /* how often the context was pushed on this thread */
static char context_handle;

/* ---- calls ---- */

static int count_call(const char *name) {
  size_t i = 0;
  while (state.calls[i].name && strcmp(state.calls[i].name, name))
    i++;
  state.calls[i].name = name;
  return ++state.calls[i].count;
}

static int asked_to_fail(const char *name, int count) {
  const char *list = getenv("MLC_STUB_FAIL");
  const size_t length = strlen(name);
  for (const char *each = list; each && *each; each = strchr(each, ',') ? strchr(each, ',') + 1 : NULL) {
    int ordinal, status;
    if (!strncmp(each, name, length) && sscanf(each + length, ":%d:%d", &ordinal, &status) == 2 && ordinal == count)
      return status;
  }
  return OK;
}

int stub_enter(const char *name, int needs) {
  const int failure = asked_to_fail(name, count_call(name));
  if (failure)
    return failure;
  if (needs >= NEEDS_INIT && !state.initialised)
    return NOT_INITIALIZED;
  return needs == NEEDS_CONTEXT && (!depth || !state.retained) ? INVALID_CONTEXT : OK;
}

void stub_log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int room = (int)sizeof state.log - state.logged;
  const int length = vsnprintf(state.log + state.logged, (size_t)room, format, arguments);
  va_end(arguments);
  if (length < room)
    state.logged += length;
}

int stub_setting(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

int stub_capability(void) { return stub_setting("MLC_STUB_CAPABILITY", 90); }

/* For the tests. */
EXPORT const char *mlc_stub_log(void) { return state.log; }

EXPORT int mlc_stub_calls(const char *name) {
  for (size_t i = 0; state.calls[i].name; i++)
    if (!strcmp(state.calls[i].name, name))
      return state.calls[i].count;
  return 0;
}

EXPORT int mlc_stub_live(int type) {
  int count = type == CONTEXT ? state.retained : 0;
  for (const object *each = stub_objects; each; each = each->next)
    count += each->type == (enum object_type)type;
  return count;
}

EXPORT int mlc_stub_depth(void) { return depth; }

/* ---- handles ---- */

void *stub_new(enum object_type type, size_t size) {
  object *made = calloc(1, size);
  made->type = type;
  made->next = stub_objects;
  return stub_objects = made;
}

int stub_is(const void *handle, enum object_type type) {
  for (const object *each = stub_objects; each; each = each->next)
    if (each == handle)
      return each->type == type;
  return 0;
}

/* The handle is dead; its memory stays, so that no other handle is the same. */
void stub_free(void *handle) {
  for (object **each = &stub_objects; *each; each = &(*each)->next)
    if (*each == handle) {
      *each = (*each)->next;
      return;
    }
}

/* ---- errors ---- */

static const struct {
  int status;
  const char *name, *text;
} texts[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "operation failed due to an unjoined stream in capture"},
};

static int describe(int status, const char **text, int named) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].status == status) {
      *text = named ? texts[i].name : texts[i].text;
      return OK;
    }
  *text = NULL;
  return INVALID_VALUE;
}

EXPORT int cuGetErrorName(int status, const char **text) { return describe(status, text, 1); }
EXPORT int cuGetErrorString(int status, const char **text) { return describe(status, text, 0); }

/* ---- devices ---- */

static int devices(void) { return stub_setting("MLC_STUB_DEVICES", 1); }

EXPORT int cuInit(unsigned flags) {
  ENTER(NEEDS_NOTHING);
  if (flags)
    return INVALID_VALUE;
  if (!devices())
    return NO_DEVICE;
  state.initialised = 1;
  return OK;
}

EXPORT int cuDriverGetVersion(int *version) {
  ENTER(NEEDS_NOTHING);
  *version = stub_setting("MLC_STUB_VERSION", 12080);
  return OK;
}

EXPORT int cuDeviceGetCount(int *count) {
  ENTER(NEEDS_INIT);
  *count = devices();
  return OK;
}

EXPORT int cuDeviceGet(int *device, int index) {
  ENTER(NEEDS_INIT);
  *device = index;
  return index < 0 || index >= devices() ? INVALID_DEVICE : OK;
}

EXPORT int cuDeviceGetName(char *name, int length, int device) {
  ENTER(NEEDS_INIT);
  if (device < 0 || device >= devices())
    return INVALID_DEVICE;
  snprintf(name, (size_t)length, "Stub %d", device);
  return OK;
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  ENTER(NEEDS_INIT);
  *bytes = (size_t)stub_setting("MLC_STUB_MEMORY", 1 << 30);
  return device < 0 || device >= devices() ? INVALID_DEVICE : OK;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER(NEEDS_INIT);
  const int capability = stub_capability(), hopper = capability >= 90;
  const int known[][2] = {{1, 1024}, {16, 132}, {38, 50 << 20}, {75, capability / 10}, {76, capability % 10},
                          {97, hopper ? 232448 : 166912}, {120, hopper}, {127, hopper}};
  if (device < 0 || device >= devices())
    return INVALID_DEVICE;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i][0] == attribute) {
      *value = known[i][1];
      return OK;
    }
  return INVALID_VALUE;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER(NEEDS_INIT);
  if (device < 0 || device >= devices())
    return INVALID_DEVICE;
  state.retained++;
  *context = &context_handle;
  return OK;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER(NEEDS_INIT);
  if (device < 0 || device >= devices() || !state.retained)
    return INVALID_CONTEXT;
  state.retained--;
  return OK;
}

EXPORT int cuCtxPushCurrent_v2(void *context) {
  ENTER(NEEDS_INIT);
  if (context != &context_handle || !state.retained)
    return INVALID_CONTEXT;
  depth++;
  return OK;
}

EXPORT int cuCtxPopCurrent_v2(void **context) {
  ENTER(NEEDS_INIT);
  if (!depth)
    return INVALID_CONTEXT;
  depth--;
  *context = &context_handle;
  return OK;
}
