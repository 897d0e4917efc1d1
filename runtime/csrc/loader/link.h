/* Internals of the loader, which its files share. */
#ifndef MLC_LINK_H
#define MLC_LINK_H

#include "mlc_runtime.h"

#include <elf.h>
#include <stdbool.h>

#define NOT_LOADED SIZE_MAX

/* A definition replaces one of lower precedence. */
enum precedence { SYMBOL_HOST, SYMBOL_LIBRARY, SYMBOL_WEAK, SYMBOL_COMMON, SYMBOL_STRONG };

typedef struct {
  const char *name; /* owned unless SYMBOL_HOST */
  enum precedence precedence;
  size_t object, index; /* the definition, for WEAK and STRONG */
  size_t size, alignment; /* COMMON */
  size_t thunk;           /* 1 + index of the measured kernel, 0 for other symbols */
  uint64_t address; /* HOST and LIBRARY from the start, others after the layout */
} global_symbol;

typedef struct {
  global_symbol *entries; /* open addressing; name == NULL marks a free one */
  size_t capacity;        /* a power of two, at least twice the number of symbols */
} symbol_table;

/* `globals` is an upper bound on the number of names that will be added. False: out of memory. */
bool symbol_table_init(symbol_table *table, size_t globals);
void symbol_table_free(symbol_table *table);
/* The entry of a name, or the free entry where it belongs. */
global_symbol *symbol_table_find(const symbol_table *table, const char *name);

enum segment { SEGMENT_TEXT, SEGMENT_CONSTANT, SEGMENT_DATA, SEGMENTS };

enum target_state { TARGET_KNOWN, TARGET_HOST, TARGET_UNDEFINED, TARGET_UNUSABLE };

typedef struct {
  enum target_state state;
  uint64_t address;
  size_t slot; /* 1 + index of its GOT slot and call stub, 0 if it needs none */
} symbol_target;

typedef struct {
  const uint8_t *bytes;
  size_t size;
  Elf64_Shdr *sections;
  size_t section_count;
  enum segment *segments; /* of each section; SEGMENTS if it is not loaded */
  size_t *offsets;        /* of each section in its segment, or NOT_LOADED */
  Elf64_Sym *symbols;
  size_t symbol_count;
  const char *strings;
  size_t strings_size;
  symbol_target *targets; /* of each symbol */
} object_file;

typedef struct {
  object_file *objects;
  size_t count;
  void *const *libraries; /* handles of dlopen */
  size_t library_count;
  symbol_table globals;
  size_t extent[SEGMENTS]; /* bytes of each segment */
  size_t start[SEGMENTS];  /* offset of each segment in the mapping, page-aligned */
  size_t slots, slots_offset, stubs_offset;
  const char *const *measured; /* names of kernels whose launches are measured */
  size_t measured_count, thunks_offset;
  uint8_t *base;
  size_t mapped;
  char *error;
  size_t error_size;
} linker;

/* Writes the message; returns false. */
bool link_fail(linker *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* elf_object.c: reads object `index` (bytes and size are set) and chooses its sections' segments. */
bool parse_object(linker *l, size_t index);
void free_object(object_file *o);
const char *section_name(const object_file *o, const Elf64_Shdr *section);

/* loader.c. reserve() returns an offset in a segment, or NOT_LOADED after writing an error. */
size_t reserve(linker *l, enum segment segment, size_t size, size_t alignment);
uint8_t *section_address(const linker *l, const object_file *o, size_t section);

/* resolve.c, in the order of use; addresses need the mapping. */
bool collect_definitions(linker *l);
/* Looks symbols that are still undefined up in the libraries. */
bool bind_libraries(linker *l);
bool allocate_commons(linker *l);
void resolve_states(linker *l);
void resolve_addresses(linker *l);

/* relocate.c. Walks all relocations of loaded sections and assigns GOT slots. Needs resolved states. */
bool scan_relocations(linker *l);
/* Fills the GOT and the stubs, then applies all relocations. Needs resolved addresses. */
bool apply_relocations(linker *l);

/* thunks.c. Marks the symbols of measured kernels, which must be defined. */
bool mark_measured(linker *l);
/* The address that other objects than the definition's take for that of a measured kernel. */
uint64_t thunk_address(const linker *l, const global_symbol *kernel);
/* Fills the thunks. Needs resolved addresses. */
void write_thunks(linker *l);

enum { SLOT_BYTES = 8, STUB_BYTES = 8, THUNK_BYTES = 32 };

#endif
