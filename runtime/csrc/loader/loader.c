/* A linker in memory for what LLVM emits. Its parts: elf_object.c reads the objects, resolve.c finds the
 * symbols, relocate.c patches the code, thunks.c measures kernels; this file lays out the mapping and fills it. */
#define _GNU_SOURCE
#include "loader/link.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct mlc_image {
  uint8_t *base;
  size_t mapped;
  symbol_table globals;
};

bool link_fail(linker *l, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(l->error, l->error_size, format, arguments);
  va_end(arguments);
  return false;
}

#if defined(__x86_64__) && defined(__linux__)

enum { PAGE = 4096, MAX_ALIGNMENT = PAGE };
/* The small code model reaches 2 GiB. */
static const size_t MAX_IMAGE = (size_t)1 << 31;

static size_t round_up(size_t value, size_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

size_t reserve(linker *l, enum segment segment, size_t size, size_t alignment) {
  if (alignment == 0)
    alignment = 1;
  if (alignment > MAX_ALIGNMENT || (alignment & (alignment - 1)) != 0)
    return link_fail(l, "an alignment of %zu bytes is not supported", alignment), NOT_LOADED;
  const size_t offset = round_up(l->extent[segment], alignment);
  if (size > MAX_IMAGE || offset + size > MAX_IMAGE)
    return link_fail(l, "the objects need more than 2 GiB of code and static data"), NOT_LOADED;
  l->extent[segment] = offset + size;
  return offset;
}

static bool layout_sections(linker *l, size_t index) {
  object_file *o = &l->objects[index];
  for (size_t i = 0; i < o->section_count; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    const char *name = section_name(o, s);
    const enum segment segment = o->segments[i];
    o->offsets[i] = NOT_LOADED;
    if (segment == SEGMENTS)
      continue;
    if (s->sh_flags & SHF_TLS)
      return link_fail(l, "object %zu: thread-local storage (section %s) is not supported", index, name);
    if (s->sh_type != SHT_PROGBITS && s->sh_type != SHT_NOBITS)
      return link_fail(l, "object %zu: section %s of type %u (constructors?) is not supported", index, name,
                       s->sh_type);
    if ((s->sh_flags & SHF_EXECINSTR) && (s->sh_flags & SHF_WRITE))
      return link_fail(l, "object %zu: section %s is writable and executable", index, name);
    o->offsets[i] = reserve(l, segment, s->sh_size, s->sh_addralign);
    if (o->offsets[i] == NOT_LOADED)
      return false;
  }
  return true;
}

uint8_t *section_address(const linker *l, const object_file *o, size_t section) {
  return l->base + l->start[o->segments[section]] + o->offsets[section];
}

/* Segments follow each other on page boundaries. Call stubs and thunks end the text, GOT slots the constants. */
static bool layout_segments(linker *l) {
  l->stubs_offset = round_up(l->extent[SEGMENT_TEXT], STUB_BYTES);
  l->thunks_offset = l->stubs_offset + l->slots * STUB_BYTES;
  l->extent[SEGMENT_TEXT] = l->thunks_offset + l->measured_count * THUNK_BYTES;
  l->slots_offset = round_up(l->extent[SEGMENT_CONSTANT], SLOT_BYTES);
  l->extent[SEGMENT_CONSTANT] = l->slots_offset + l->slots * SLOT_BYTES;
  for (int segment = 0; segment < SEGMENTS; segment++) {
    l->start[segment] = l->mapped;
    l->mapped += round_up(l->extent[segment], PAGE);
  }
  l->slots_offset += l->start[SEGMENT_CONSTANT];
  if (l->mapped > MAX_IMAGE)
    return link_fail(l, "the objects need more than 2 GiB of code and static data");
  return true;
}

/* ---- mapping -------------------------------------------------------------------------------- */

static bool map_image(linker *l) {
  if (l->mapped == 0)
    return link_fail(l, "the objects hold no code");
  void *base = mmap(NULL, l->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return link_fail(l, "cannot map %zu bytes: %s", l->mapped, strerror(errno));
  l->base = base;
  for (size_t i = 0; i < l->count; i++) {
    const object_file *o = &l->objects[i];
    for (size_t s = 0; s < o->section_count; s++)
      if (o->offsets[s] != NOT_LOADED && o->sections[s].sh_type != SHT_NOBITS && o->sections[s].sh_size)
        memcpy(section_address(l, o, s), o->bytes + o->sections[s].sh_offset, o->sections[s].sh_size);
  }
  return true;
}

static bool protect_image(linker *l) {
  static const int protections[SEGMENTS] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
  for (int segment = 0; segment < SEGMENTS; segment++) {
    const size_t size = round_up(l->extent[segment], PAGE);
    if (size && mprotect(l->base + l->start[segment], size, protections[segment]) != 0)
      return link_fail(l, "cannot protect the code's memory: %s", strerror(errno));
  }
  return true;
}

static bool link_objects(linker *l) {
  for (size_t i = 0; i < l->count; i++)
    if (!parse_object(l, i) || !layout_sections(l, i))
      return false;
  if (!collect_definitions(l) || !mark_measured(l) || !bind_libraries(l) || !allocate_commons(l))
    return false;
  resolve_states(l);
  if (!scan_relocations(l) || !layout_segments(l) || !map_image(l))
    return false;
  resolve_addresses(l);
  write_thunks(l);
  return apply_relocations(l) && protect_image(l);
}

static mlc_image *finish(linker *l, bool linked) {
  mlc_image *image = linked ? malloc(sizeof *image) : NULL;
  for (size_t i = 0; l->objects && i < l->count; i++)
    free_object(&l->objects[i]);
  free(l->objects);
  if (image) {
    *image = (mlc_image){l->base, l->mapped, l->globals};
    return image;
  }
  if (linked)
    link_fail(l, "out of memory");
  symbol_table_free(&l->globals);
  if (l->base)
    munmap(l->base, l->mapped);
  return NULL;
}

mlc_image *mlc_image_load(const mlc_image_parts *parts, char *error, size_t error_size) {
  linker l = {.count = parts->count,
              .libraries = parts->libraries,
              .library_count = parts->library_count,
              .measured = parts->measured,
              .measured_count = parts->measured_count,
              .error = error,
              .error_size = error_size};
  l.objects = calloc(l.count + 1, sizeof *l.objects);
  if (!l.objects)
    return link_fail(&l, "out of memory"), NULL;
  for (size_t i = 0; i < l.count; i++) {
    l.objects[i].bytes = parts->objects[i];
    l.objects[i].size = parts->sizes[i];
  }
  return finish(&l, link_objects(&l));
}

#else

mlc_image *mlc_image_load(const mlc_image_parts *parts, char *error, size_t error_size) {
  linker l = {.error = error, .error_size = error_size};
  (void)parts;
  link_fail(&l, "unsupported host: compiled code can be loaded on x86-64 Linux only");
  return NULL;
}

#endif

void *mlc_image_symbol(const mlc_image *image, const char *name) {
  const global_symbol *entry = symbol_table_find(&image->globals, name);
  if (!entry->name || entry->precedence <= SYMBOL_LIBRARY)
    return NULL;
  return (void *)(uintptr_t)entry->address;
}

void mlc_image_free(mlc_image *image) {
  if (!image)
    return;
  munmap(image->base, image->mapped);
  symbol_table_free(&image->globals);
  free(image);
}
