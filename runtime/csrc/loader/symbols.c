/* Global symbols of an image, and the functions of this process that compiled code may call. */
#define _GNU_SOURCE
#include "loader/link.h"
#include "loader/builtins.h"
#include "objects/object_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void function(void);

#define HOST(NAME) {#NAME, (function *)NAME}
#define HOST_CALL(NAME) HOST(mlc_call_##NAME),
#define HOST_MATH(NAME) HOST(NAME), HOST(NAME##f)

/* Arithmetic of libgcc and compiler-rt: the types do not matter, only the addresses. */
extern function __powisf2, __powidf2, __udivti3, __umodti3, __divti3, __modti3;

static const struct {
  const char *name;
  function *address;
} host_symbols[] = {
    HOST(mlc_kmpc_fork_call), HOST(mlc_kmpc_global_thread_num), HOST(mlc_kmpc_barrier),
    HOST(mlc_kmpc_for_static_fini), HOST(mlc_kmpc_for_static_init_4), HOST(mlc_kmpc_for_static_init_4u),
    HOST(mlc_kmpc_for_static_init_8), HOST(mlc_kmpc_for_static_init_8u),
    HOST(mlc_kmpc_dispatch_init_4u), HOST(mlc_kmpc_dispatch_init_8u), HOST(mlc_kmpc_dispatch_next_4u),
    HOST(mlc_kmpc_dispatch_next_8u), HOST(mlc_transfer_start), HOST(mlc_transfer_wait),
    HOST(mlc_host_allocate), HOST(mlc_host_release), HOST(mlc_host_output), HOST(mlc_host_mismatch),
    HOST(mlc_host_fail), HOST(mlc_host_too_large), HOST(mlc_host_check_indices), HOST(mlc_host_check_nonzero),
    MLC_OBJECT_CALLS(HOST_CALL)
    HOST(memcpy), HOST(memmove), HOST(memset), HOST(memcmp), HOST(bcmp), HOST(strlen),
    HOST(malloc), HOST(calloc), HOST(realloc), HOST(free), HOST(aligned_alloc), HOST(abort),
    HOST_MATH(acos), HOST_MATH(acosh), HOST_MATH(asin), HOST_MATH(asinh), HOST_MATH(atan),
    HOST_MATH(atan2), HOST_MATH(atanh), HOST_MATH(cbrt), HOST_MATH(ceil), HOST_MATH(copysign),
    HOST_MATH(cos), HOST_MATH(cosh), HOST_MATH(erf), HOST_MATH(erfc), HOST_MATH(exp), HOST_MATH(exp2),
    HOST_MATH(exp10), HOST_MATH(expm1), HOST_MATH(fabs), HOST_MATH(fdim), HOST_MATH(floor),
    HOST_MATH(fma), HOST_MATH(fmax), HOST_MATH(fmin), HOST_MATH(fmod), HOST_MATH(frexp),
    HOST_MATH(hypot), HOST_MATH(ldexp), HOST_MATH(lgamma), HOST_MATH(log), HOST_MATH(log10),
    HOST_MATH(log1p), HOST_MATH(log2), HOST_MATH(lrint), HOST_MATH(lround), HOST_MATH(llrint),
    HOST_MATH(llround), HOST_MATH(modf), HOST_MATH(nearbyint), HOST_MATH(pow), HOST_MATH(remainder),
    HOST_MATH(rint), HOST_MATH(round), HOST_MATH(roundeven), HOST_MATH(sin), HOST_MATH(sincos),
    HOST_MATH(sinh), HOST_MATH(sqrt), HOST_MATH(tan), HOST_MATH(tanh), HOST_MATH(tgamma),
    HOST_MATH(trunc),
    HOST(__extendhfsf2), HOST(__extendhfdf2), HOST(__truncsfhf2), HOST(__truncdfhf2),
    HOST(__truncsfbf2), HOST(__truncdfbf2), HOST(__powisf2), HOST(__powidf2),
    HOST(__udivti3), HOST(__umodti3), HOST(__divti3), HOST(__modti3),
};
enum { HOST_SYMBOLS = sizeof host_symbols / sizeof *host_symbols };

/* FNV-1a. */
static uint64_t hash_name(const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *name; name++)
    hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 32;
}

global_symbol *symbol_table_find(const symbol_table *table, const char *name) {
  size_t i = hash_name(name) & (table->capacity - 1);
  while (table->entries[i].name && strcmp(table->entries[i].name, name) != 0)
    i = (i + 1) & (table->capacity - 1);
  return &table->entries[i];
}

bool symbol_table_init(symbol_table *table, size_t globals) {
  table->capacity = 2;
  while (table->capacity < 2 * (globals + HOST_SYMBOLS))
    table->capacity *= 2;
  table->entries = calloc(table->capacity, sizeof *table->entries);
  if (!table->entries)
    return false;
  for (size_t i = 0; i < HOST_SYMBOLS; i++) {
    const uint64_t address = (uint64_t)(uintptr_t)host_symbols[i].address;
    *symbol_table_find(table, host_symbols[i].name) =
        (global_symbol){.name = host_symbols[i].name, .precedence = SYMBOL_HOST, .address = address};
  }
  return true;
}

void symbol_table_free(symbol_table *table) {
  for (size_t i = 0; table->entries && i < table->capacity; i++)
    if (table->entries[i].name && table->entries[i].precedence != SYMBOL_HOST)
      free((char *)table->entries[i].name);
  free(table->entries);
  table->entries = NULL;
}
