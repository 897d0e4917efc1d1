/* A CUDA driver on host memory, for tests: stub.c (devices), stub_memory.c, stub_streams.c
 * (streams, events, copies), stub_graphs.c, stub_modules.c (images, launches, tensor maps). Work on streams runs as late as the driver's rules allow, so
 * that a missing wait gives wrong results.
 *
 * Variables: MLC_STUB_FAIL=function:n:status,... fails the n-th call of a function; MLC_STUB_VERSION=12040,
 * MLC_STUB_DEVICES=1, MLC_STUB_CAPABILITY=90, MLC_STUB_MEMORY=bytes describe the driver and its devices. */
#ifndef STUB_H
#define STUB_H

#include <stddef.h>
#include <stdint.h>

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  NO_BINARY_FOR_GPU = 209,
  INVALID_PTX = 218,
  UNSUPPORTED_PTX_VERSION = 222,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  NOT_SUPPORTED = 801,
  ILLEGAL_ADDRESS = 700,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURE_UNMATCHED = 903,
  CAPTURE_UNJOINED = 904,
  CAPTURE_ISOLATION = 905,
  CAPTURED_EVENT = 907,
  GRAPH_UPDATE_FAILURE = 910,
  INVALID_CLUSTER_SIZE = 912,
};

/* What must be true before a call. */
enum { NEEDS_NOTHING, NEEDS_INIT, NEEDS_CONTEXT };
enum object_type { MEMORY, PINNED, STREAM, EVENT, MODULE, GRAPH, EXECUTABLE, CONTEXT, OBJECT_TYPES };

/* The head of everything that has a handle. */
typedef struct object {
  enum object_type type;
  struct object *next;
} object;

typedef struct function function;
typedef struct stream stream;

/* Something to do; copies of parameters and staged sources belong to it. */
typedef struct op {
  enum { COPY, FILL, LAUNCH, WAIT, GRAPH_LAUNCH } type;
  stream *on;
  char *target;
  const char *source;
  size_t bytes;
  int byte, staged;
  function *code;
  void **parameters;
  unsigned geometry[10]; /* grid, block, cluster, shared bytes */
  int overlaps;          /* LAUNCH: it may begin before the preceding one has ended */
  stream *other;         /* WAIT: until `other` has done `count` ops */
  size_t count;
  struct op_list *list; /* GRAPH_LAUNCH */
} op;

typedef struct op_list {
  int references;
  size_t count;
  op *ops;
} op_list;

enum { MAX_OPS = 4096 };

struct stream {
  object head;
  op ops[MAX_OPS];
  size_t enqueued, done;
  int after_launch; /* whether the last op is a launch */
  /* While capturing: the graph, how many of its ops are this stream's, how many of those others wait for. */
  struct graph *graph;
  size_t captured, joined;
};

typedef struct {
  object head;
  int timing, recorded;
  stream *on;
  size_t count;
  struct graph *graph; /* recorded in a capture */
} event;

typedef struct graph {
  object head;
  op_list *list;
  stream *origin, *streams[16];
  size_t stream_count;
  int invalid;
} graph;

#define EXPORT __attribute__((visibility("default")))
#define ENTER(needs)                                                                                        \
  do {                                                                                                      \
    const int entered = stub_enter(__func__, needs);                                                        \
    if (entered)                                                                                            \
      return entered;                                                                                       \
  } while (0)

int stub_enter(const char *name, int needs);
void stub_log(const char *format, ...);
int stub_setting(const char *name, int otherwise);
void *stub_new(enum object_type type, size_t size);
int stub_is(const void *handle, enum object_type type);
void stub_free(void *handle);
int stub_on_device(uint64_t address, size_t bytes);
int stub_is_pinned(const void *address, size_t bytes);
int stub_capability(void);

int stub_enqueue(void *handle, op work);
int stub_drain_all(void);
int stub_capturing(void);
stream *stub_stream(void *handle);
int stub_run_op(const op *work);
int stub_run_list(const op_list *list);
void stub_append(op_list *list, op work);
extern stream stub_default;
extern object *stub_objects;
int stub_launch(const op *work);
void stub_count_overlap(const op *work);

#endif
