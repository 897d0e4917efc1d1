/* Symbol resolution across the objects of an image, by the rules of ELF: a strong definition beats a
 * COMMON one, which beats a weak one, which beats a function of this process, which beats one of a library. */
#define _GNU_SOURCE
#include "loader/link.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)

static bool is_global(const Elf64_Sym *symbol) { return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL; }

/* Calls `visit` for each global symbol that is defined, or not, until it fails; whether it never did. */
static bool for_globals(linker *l, bool defined, bool (*visit)(linker *l, size_t object, size_t index)) {
  for (size_t object = 0; object < l->count; object++) {
    const object_file *o = &l->objects[object];
    for (size_t i = 1; i < o->symbol_count; i++)
      if (is_global(&o->symbols[i]) && (o->symbols[i].st_shndx != SHN_UNDEF) == defined && !visit(l, object, i))
        return false;
  }
  return true;
}

static bool define(linker *l, size_t object, size_t index) {
  const object_file *o = &l->objects[object];
  const Elf64_Sym *s = &o->symbols[index];
  const char *name = o->strings + s->st_name;
  global_symbol *entry = symbol_table_find(&l->globals, name);
  const enum precedence precedence = s->st_shndx == SHN_COMMON               ? SYMBOL_COMMON
                                : ELF64_ST_BIND(s->st_info) == STB_WEAK ? SYMBOL_WEAK
                                                                        : SYMBOL_STRONG;
  const bool fresh = !entry->name || entry->precedence == SYMBOL_HOST;
  if (!fresh && entry->precedence == SYMBOL_STRONG && precedence == SYMBOL_STRONG)
    return link_fail(l, "symbol '%s' is defined in object %zu and in object %zu", name, entry->object, object);
  if (fresh && !(entry->name = strdup(name)))
    return link_fail(l, "out of memory");
  if (fresh || precedence > entry->precedence)
    *entry = (global_symbol){.name = entry->name, .precedence = precedence, .object = object, .index = index};
  if (precedence == SYMBOL_COMMON && entry->precedence == SYMBOL_COMMON) {
    entry->size = s->st_size > entry->size ? s->st_size : entry->size;
    entry->alignment = s->st_value > entry->alignment ? s->st_value : entry->alignment;
  }
  return true;
}

bool collect_definitions(linker *l) {
  size_t globals = 0;
  for (size_t object = 0; object < l->count; object++)
    globals += l->objects[object].symbol_count;
  if (!symbol_table_init(&l->globals, globals))
    return link_fail(l, "out of memory");
  return for_globals(l, true, define);
}

static bool bind_library(linker *l, size_t object, size_t index) {
  const object_file *o = &l->objects[object];
  const char *name = o->strings + o->symbols[index].st_name;
  global_symbol *entry = symbol_table_find(&l->globals, name);
  if (entry->name)
    return true;
  void *address = NULL;
  for (size_t i = 0; i < l->library_count && !address; i++)
    address = dlsym(l->libraries[i], name);
  if (!address)
    return true;
  *entry = (global_symbol){.name = strdup(name), .precedence = SYMBOL_LIBRARY, .address = (uint64_t)(uintptr_t)address};
  return entry->name || link_fail(l, "out of memory");
}

bool bind_libraries(linker *l) { return for_globals(l, false, bind_library); }

/* A COMMON symbol's `address` is its offset in the data segment until the image is mapped. */
bool allocate_commons(linker *l) {
  for (size_t i = 0; i < l->globals.capacity; i++) {
    global_symbol *entry = &l->globals.entries[i];
    if (!entry->name || entry->precedence != SYMBOL_COMMON)
      continue;
    const size_t offset = reserve(l, SEGMENT_DATA, entry->size, entry->alignment);
    if (offset == NOT_LOADED)
      return false;
    entry->address = offset;
  }
  return true;
}

static enum target_state defined_state(const object_file *o, const Elf64_Sym *s) {
  const int type = ELF64_ST_TYPE(s->st_info);
  if (type == STT_TLS || type == STT_GNU_IFUNC)
    return TARGET_UNUSABLE;
  if (s->st_shndx == SHN_ABS)
    return TARGET_KNOWN;
  if (s->st_shndx >= o->section_count || o->offsets[s->st_shndx] == NOT_LOADED)
    return TARGET_UNUSABLE;
  return s->st_value <= o->sections[s->st_shndx].sh_size ? TARGET_KNOWN : TARGET_UNUSABLE;
}

static enum target_state resolve_state(const linker *l, const object_file *o, const Elf64_Sym *s) {
  if (!is_global(s))
    return s->st_shndx == SHN_UNDEF ? TARGET_UNUSABLE : defined_state(o, s);
  const global_symbol *entry = symbol_table_find(&l->globals, o->strings + s->st_name);
  if (!entry->name)
    return ELF64_ST_BIND(s->st_info) == STB_WEAK ? TARGET_HOST : TARGET_UNDEFINED;
  if (entry->precedence <= SYMBOL_LIBRARY)
    return TARGET_HOST;
  if (entry->precedence == SYMBOL_COMMON)
    return TARGET_KNOWN;
  const object_file *definition = &l->objects[entry->object];
  return defined_state(definition, &definition->symbols[entry->index]);
}

void resolve_states(linker *l) {
  for (size_t i = 0; i < l->count; i++)
    for (size_t s = 1; s < l->objects[i].symbol_count; s++)
      l->objects[i].targets[s].state = resolve_state(l, &l->objects[i], &l->objects[i].symbols[s]);
}

static uint64_t defined_address(const linker *l, const object_file *o, const Elf64_Sym *s) {
  if (defined_state(o, s) != TARGET_KNOWN)
    return 0;
  if (s->st_shndx == SHN_ABS)
    return s->st_value;
  return (uint64_t)(uintptr_t)section_address(l, o, s->st_shndx) + s->st_value;
}

/* The address of a global symbol for the code of an object. */
static uint64_t global_address(const linker *l, size_t object, const char *name) {
  const global_symbol *entry = symbol_table_find(&l->globals, name);
  return entry->thunk && entry->object != object ? thunk_address(l, entry) : entry->address;
}

void resolve_addresses(linker *l) {
  for (size_t i = 0; i < l->globals.capacity; i++) {
    global_symbol *entry = &l->globals.entries[i];
    if (!entry->name || entry->precedence <= SYMBOL_LIBRARY)
      continue;
    const object_file *o = &l->objects[entry->object];
    if (entry->precedence == SYMBOL_COMMON)
      entry->address += (uint64_t)(uintptr_t)(l->base + l->start[SEGMENT_DATA]);
    else
      entry->address = defined_address(l, o, &o->symbols[entry->index]);
  }
  for (size_t i = 0; i < l->count; i++) {
    object_file *o = &l->objects[i];
    for (size_t s = 1; s < o->symbol_count; s++) {
      const Elf64_Sym *symbol = &o->symbols[s];
      o->targets[s].address = is_global(symbol) ? global_address(l, i, o->strings + symbol->st_name)
                                                : defined_address(l, o, symbol);
    }
  }
}

#endif
