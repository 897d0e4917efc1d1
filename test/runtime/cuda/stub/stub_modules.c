/* The stub driver: images, kernels, launches, tensor maps. Of PTX it reads .version, .target, the entries with
 * their parameters, .maxntid and .shared; a cubin is an ELF header, then such text. */
#include "stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 32, DEFAULT_SHARED = 48 << 10, MAP_MAGIC = 0x544d4150 };

typedef void callback(void *const *parameters, const unsigned *geometry);

struct function {
  char name[64];
  int count, max_threads, static_shared, dynamic_shared, large_clusters;
  struct {
    size_t size, alignment;
    int is_pointer;
  } parameters[MAX_PARAMETERS];
  function *next;
};

typedef struct {
  object head;
  function *functions;
} module;

static struct {
  char name[64];
  callback *run;
} kernels[64];

/* For the tests: what a kernel of this name does. */
EXPORT void mlc_stub_kernel(const char *name, callback *run) {
  size_t i = 0;
  while (kernels[i].run && strcmp(kernels[i].name, name))
    i++;
  snprintf(kernels[i].name, sizeof kernels[i].name, "%s", name);
  kernels[i].run = run;
}

/* ---- images ---- */

static size_t type_size(const char *type) {
  return strstr(type, "64") ? 8 : strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

static void parse_parameter(function *f, const char *text, const char *end) {
  char type[16];
  int alignment = 0, length = 1;
  const char *align = strstr(text, ".align "), *pointer = strstr(text, ".ptr"), *array = strchr(text, '[');
  if (pointer && pointer < end)
    align = NULL;
  if (align && align < end)
    sscanf(align, ".align %d .%15s", &alignment, type);
  else
    sscanf(text, ".param .%15s", type);
  if (array && array < end)
    sscanf(array, "[%d]", &length);
  f->parameters[f->count].size = type_size(type) * (size_t)length;
  f->parameters[f->count].alignment = (size_t)alignment;
  f->parameters[f->count++].is_pointer = pointer && pointer < end;
}

static function *parse_entry(const char *text) {
  function *f = calloc(1, sizeof *f);
  const char *close = strchr(text, ')'), *body = strchr(text, '{'), *finish = strchr(text, '}');
  sscanf(text, ".entry %63[A-Za-z0-9_$]", f->name);
  for (const char *p = strstr(text, ".param"); p && p < close; p = strstr(p + 1, ".param")) {
    const char *comma = strchr(p, ',');
    parse_parameter(f, p, comma && comma < close ? comma : close);
  }
  const char *threads = strstr(text, ".maxntid"), *shared = strstr(text, ".shared");
  f->max_threads = 1024;
  if (threads && threads < body)
    sscanf(threads, ".maxntid %d", &f->max_threads);
  if (shared && shared < finish)
    sscanf(strchr(shared, '['), "[%d]", &f->static_shared);
  f->dynamic_shared = DEFAULT_SHARED - f->static_shared;
  return f;
}

/* The options have the addresses of the logs; their sizes are passed as pointers. */
static int write_log(unsigned count, const int *options, void **values, const char *text) {
  char *log = NULL;
  size_t room = 0;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] < 3 || options[i] > 6)
      return INVALID_VALUE;
    if (options[i] == 5)
      log = values[i];
    if (options[i] == 6)
      room = (size_t)values[i];
  }
  if (log && room)
    snprintf(log, room, "%s", text);
  return OK;
}

EXPORT int cuModuleLoadDataEx(module **result, const char *image, unsigned count, int *options, void **values) {
  ENTER(NEEDS_CONTEXT);
  int major = 0, minor = 0, target = 0;
  const int cubin = !strncmp(image, "\177ELF", 4);
  const char *text = cubin ? image + 64 : image, *version = strstr(text, ".version"), *arch = strstr(text, ".target");
  if (write_log(count, options, values, ""))
    return INVALID_VALUE;
  if (!version || !arch || sscanf(version, ".version %d.%d", &major, &minor) != 2 ||
      sscanf(arch, ".target sm_%d", &target) != 1)
    return INVALID_IMAGE;
  if (!cubin && (major + 4) * 1000 + minor * 10 > stub_setting("MLC_STUB_VERSION", 12080))
    return UNSUPPORTED_PTX_VERSION;
  if (cubin ? target / 10 != stub_capability() / 10 : target > stub_capability()) {
    write_log(count, options, values, cubin ? "" : "ptxas fatal : SM version specified by .target is higher");
    return cubin ? NO_BINARY_FOR_GPU : INVALID_PTX;
  }
  if (strstr(text, "syntax_error")) {
    write_log(count, options, values, "ptxas fatal : Parsing error near 'syntax_error'");
    return INVALID_PTX;
  }
  *result = stub_new(MODULE, sizeof **result);
  for (const char *entry = strstr(text, ".entry"); entry; entry = strstr(entry + 1, ".entry")) {
    function *f = parse_entry(entry);
    f->next = (*result)->functions;
    (*result)->functions = f;
  }
  return OK;
}

EXPORT int cuModuleUnload(module *m) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(m, MODULE))
    return INVALID_HANDLE;
  stub_free(m);
  return OK;
}

EXPORT int cuModuleGetFunction(function **result, module *m, const char *name) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(m, MODULE))
    return INVALID_HANDLE;
  for (*result = m->functions; *result; *result = (*result)->next)
    if (!strcmp((*result)->name, name))
      return OK;
  return NOT_FOUND;
}

EXPORT int cuFuncGetAttribute(int *value, int attribute, const function *f) {
  ENTER(NEEDS_CONTEXT);
  const int known[] = {[0] = f->max_threads, [1] = f->static_shared, [4] = 40, [8] = f->dynamic_shared};
  if (attribute < 0 || attribute > 8)
    return INVALID_VALUE;
  *value = known[attribute];
  return OK;
}

EXPORT int cuFuncSetAttribute(function *f, int attribute, int value) {
  ENTER(NEEDS_CONTEXT);
  if (attribute == 14) {
    f->large_clusters = value;
    return OK;
  }
  if (attribute != 8 || value < 0 || value + f->static_shared > (stub_capability() >= 90 ? 232448 : 166912))
    return INVALID_VALUE;
  f->dynamic_shared = value;
  return OK;
}

/* ---- launches ---- */

static int copy_parameters(const function *f, void **given, void ***result) {
  *result = calloc(MAX_PARAMETERS, sizeof **result);
  for (int i = 0; i < f->count; i++) {
    const size_t alignment = f->parameters[i].alignment;
    if (!given || !given[i] || (alignment && (uintptr_t)given[i] % alignment))
      return INVALID_VALUE;
    if (posix_memalign(&(*result)[i], 64, f->parameters[i].size + 64))
      abort();
    memcpy((*result)[i], given[i], f->parameters[i].size);
  }
  return OK;
}

/* Launches that may begin early, and those of them that follow no launch: the driver accepts them, but a program
 * should not enqueue them. */
static int overlaps, misplaced;

void stub_count_overlap(const op *work) {
  overlaps += work->overlaps;
  misplaced += work->overlaps && !work->on->after_launch;
}

EXPORT int mlc_stub_overlaps(int of_those_misplaced) { return of_those_misplaced ? misplaced : overlaps; }

static int launch(function *f, const unsigned *geometry, int early, void *stream, void **given) {
  const unsigned *grid = geometry, *block = geometry + 3, *cluster = geometry + 6, shared = geometry[9];
  const unsigned blocks = cluster[0] * cluster[1] * cluster[2];
  for (int i = 0; i < 3; i++)
    if (!grid[i] || !block[i] || !cluster[i] || grid[i] % cluster[i])
      return INVALID_VALUE;
  if (block[0] * block[1] * block[2] > (unsigned)f->max_threads || shared > (unsigned)f->dynamic_shared)
    return INVALID_VALUE;
  if (blocks > 16 || (blocks > 8 && !f->large_clusters) || (blocks > 1 && stub_capability() < 90))
    return INVALID_CLUSTER_SIZE;
  op work = {.type = LAUNCH, .code = f, .overlaps = early};
  memcpy(work.geometry, geometry, sizeof work.geometry);
  const int status = copy_parameters(f, given, &work.parameters);
  stub_log("%s grid %u,%u,%u block %u,%u,%u cluster %u shared %u%s\n", f->name, grid[0], grid[1], grid[2], block[0],
           block[1], block[2], blocks, shared, early ? " early" : "");
  return status ? status : stub_enqueue(stream, work);
}

EXPORT int cuLaunchKernel(function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra) {
  ENTER(NEEDS_CONTEXT);
  const unsigned geometry[] = {gx, gy, gz, bx, by, bz, 1, 1, 1, shared};
  return extra ? INVALID_VALUE : launch(f, geometry, 0, stream, parameters);
}

typedef struct {
  int id;
  char pad[4];
  unsigned value[16];
} attribute;

typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  attribute *attributes;
  unsigned count;
} config;

/* Zeros but for what is named; a driver before 12.3 cannot capture launches that may begin early. */
static int read_attribute(const attribute *a, unsigned *geometry, int *early) {
  const unsigned used = a->id == 4 ? 3 : 1;
  int clean = !memcmp(a->pad, "\0\0\0", 4);
  for (unsigned i = used; i < 16; i++)
    clean &= !a->value[i];
  if (!clean || (a->id != 4 && a->id != 6) || (a->id == 6 && a->value[0] > 1))
    return INVALID_VALUE;
  if (a->id == 4) {
    memcpy(geometry + 6, a->value, 3 * sizeof(unsigned));
    return OK;
  }
  *early = (int)a->value[0];
  const int old = stub_capturing() && stub_setting("MLC_STUB_VERSION", 12080) < 12030;
  return stub_capability() < 90 ? NOT_SUPPORTED : old ? CAPTURE_UNSUPPORTED : OK;
}

EXPORT int cuLaunchKernelEx(const config *c, function *f, void **parameters, void **extra) {
  ENTER(NEEDS_CONTEXT);
  unsigned geometry[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, c->shared};
  memcpy(geometry, c->grid, sizeof c->grid);
  memcpy(geometry + 3, c->block, sizeof c->block);
  int early = 0, status = extra ? INVALID_VALUE : OK;
  for (unsigned i = 0; i < c->count && !status; i++)
    status = read_attribute(&c->attributes[i], geometry, &early);
  return status ? status : launch(f, geometry, early, c->stream, parameters);
}

typedef struct {
  uint32_t magic, type, rank, box[5];
  uint64_t address, dims[5], strides[4];
  uint8_t swizzle, promotion, fill;
} tensor_map;

/* Runs a kernel: its pointers must be into memory of the device that was not freed. */
int stub_launch(const op *work) {
  const function *f = work->code;
  for (int i = 0; i < f->count; i++) {
    const uint64_t *value = work->parameters[i];
    const tensor_map *map = work->parameters[i];
    if (f->parameters[i].is_pointer && *value && !stub_on_device(*value, 1))
      return ILLEGAL_ADDRESS;
    if (f->parameters[i].size == 128 && (map->magic != MAP_MAGIC || !stub_on_device(map->address, 1)))
      return ILLEGAL_ADDRESS;
  }
  for (size_t i = 0; kernels[i].run; i++)
    if (!strcmp(kernels[i].name, f->name))
      kernels[i].run(work->parameters, work->geometry);
  return OK;
}

/* ---- tensor maps ---- */

EXPORT int cuTensorMapEncodeTiled(tensor_map *map, int type, unsigned rank, void *address, const uint64_t *dims,
                                  const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                  int swizzle, int promotion, int fill) {
  ENTER(NEEDS_INIT);
  static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  if ((uintptr_t)map % 64 || type < 0 || type > 12 || !rank || rank > 5 || !address || (uintptr_t)address % 16)
    return INVALID_VALUE;
  for (unsigned i = 0; i < rank; i++)
    if (!dims[i] || dims[i] > UINT64_C(1) << 32 || !box[i] || box[i] > 256 || !steps[i] || steps[i] > 8 ||
        (i && (strides[i - 1] % 16 || !strides[i - 1] || strides[i - 1] >> 40)))
      return INVALID_VALUE;
  const unsigned inner = box[0] * sizes[type];
  if (inner % 16 || (swizzle && inner > 16u << swizzle) || interleave || swizzle < 0 || swizzle > 3 ||
      promotion < 0 || promotion > 3 || (fill && type < 6))
    return INVALID_VALUE;
  *map = (tensor_map){.magic = MAP_MAGIC, .type = (uint32_t)type, .rank = rank, .address = (uint64_t)address};
  memcpy(map->dims, dims, rank * sizeof *dims);
  memcpy(map->strides, strides, (rank - 1) * sizeof *strides);
  memcpy(map->box, box, rank * sizeof *box);
  map->swizzle = (uint8_t)swizzle, map->promotion = (uint8_t)promotion, map->fill = (uint8_t)fill;
  return OK;
}
