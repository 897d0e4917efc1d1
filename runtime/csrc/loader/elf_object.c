/* Reads ELF64 relocatable objects of x86-64. Nothing in an object is trusted: every offset, index and
 * size is checked here or where it is used. (The code itself is trusted.) */
#include "loader/link.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)

#ifndef SHT_X86_64_UNWIND
#define SHT_X86_64_UNWIND 0x70000001
#endif

static bool inside(const object_file *o, uint64_t offset, uint64_t size) {
  return offset <= o->size && size <= o->size - offset;
}

/* Section names live in the string table that the symbols use too, or in one that was not checked. */
const char *section_name(const object_file *o, const Elf64_Shdr *section) {
  Elf64_Ehdr header;
  memcpy(&header, o->bytes, sizeof header);
  if (header.e_shstrndx >= o->section_count)
    return "?";
  const Elf64_Shdr *names = &o->sections[header.e_shstrndx];
  if (names->sh_type != SHT_STRTAB || section->sh_name >= names->sh_size)
    return "?";
  const char *name = (const char *)o->bytes + names->sh_offset + section->sh_name;
  return memchr(name, 0, names->sh_size - section->sh_name) ? name : "?";
}

static enum segment choose_segment(const Elf64_Shdr *section, const char *name) {
  if (section->sh_type == SHT_NULL)
    return SEGMENTS;
  /* Unwind tables are not needed: compiled code throws nothing. */
  if (!(section->sh_flags & SHF_ALLOC) || section->sh_type == SHT_X86_64_UNWIND ||
      section->sh_type == SHT_NOTE || strcmp(name, ".eh_frame") == 0)
    return SEGMENTS;
  if (section->sh_flags & SHF_EXECINSTR)
    return SEGMENT_TEXT;
  /* Pages are protected after relocation, so these constants need no writable segment. */
  if (!(section->sh_flags & SHF_WRITE) || strncmp(name, ".data.rel.ro", 12) == 0)
    return SEGMENT_CONSTANT;
  return SEGMENT_DATA;
}

static bool parse_header(linker *l, size_t index) {
  object_file *o = &l->objects[index];
  Elf64_Ehdr h;
  if (o->size < sizeof h || memcmp(o->bytes, ELFMAG, SELFMAG) != 0)
    return link_fail(l, "object %zu: not an ELF file", index);
  memcpy(&h, o->bytes, sizeof h);
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL)
    return link_fail(l, "object %zu: not a relocatable 64-bit little-endian ELF object", index);
  if (h.e_machine != EM_X86_64)
    return link_fail(l, "object %zu: made for ELF machine %u, this host is x86-64", index, h.e_machine);
  if (h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shnum == 0 ||
      !inside(o, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
    return link_fail(l, "object %zu: truncated or corrupt (section table)", index);
  o->section_count = h.e_shnum;
  o->sections = malloc(h.e_shnum * sizeof *o->sections);
  o->segments = malloc(h.e_shnum * sizeof *o->segments);
  o->offsets = malloc(h.e_shnum * sizeof *o->offsets);
  if (!o->sections || !o->segments || !o->offsets)
    return link_fail(l, "out of memory");
  memcpy(o->sections, o->bytes + h.e_shoff, h.e_shnum * sizeof *o->sections);
  for (size_t i = 0; i < o->section_count; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    if (s->sh_type != SHT_NULL && s->sh_type != SHT_NOBITS && !inside(o, s->sh_offset, s->sh_size))
      return link_fail(l, "object %zu: truncated or corrupt (section %zu)", index, i);
  }
  for (size_t i = 0; i < o->section_count; i++)
    o->segments[i] = choose_segment(&o->sections[i], section_name(o, &o->sections[i]));
  return true;
}

static bool parse_symbols(linker *l, size_t index) {
  object_file *o = &l->objects[index];
  const Elf64_Shdr *table = NULL;
  for (size_t i = 0; i < o->section_count && !table; i++)
    if (o->sections[i].sh_type == SHT_SYMTAB)
      table = &o->sections[i];
  if (!table)
    return true;
  const Elf64_Shdr *strings = table->sh_link < o->section_count ? &o->sections[table->sh_link] : NULL;
  if (!strings || strings->sh_type != SHT_STRTAB || strings->sh_size == 0 ||
      o->bytes[strings->sh_offset + strings->sh_size - 1] != 0 || table->sh_entsize != sizeof(Elf64_Sym))
    return link_fail(l, "object %zu: corrupt symbol table", index);
  o->strings = (const char *)o->bytes + strings->sh_offset;
  o->strings_size = strings->sh_size;
  o->symbol_count = table->sh_size / sizeof(Elf64_Sym);
  o->symbols = malloc(table->sh_size + 1);
  o->targets = calloc(o->symbol_count + 1, sizeof *o->targets);
  if (!o->symbols || !o->targets)
    return link_fail(l, "out of memory");
  memcpy(o->symbols, o->bytes + table->sh_offset, o->symbol_count * sizeof(Elf64_Sym));
  for (size_t i = 0; i < o->symbol_count; i++)
    if (o->symbols[i].st_name >= o->strings_size)
      return link_fail(l, "object %zu: corrupt symbol table (name of symbol %zu)", index, i);
  return true;
}

bool parse_object(linker *l, size_t index) { return parse_header(l, index) && parse_symbols(l, index); }

void free_object(object_file *o) {
  free(o->sections);
  free(o->segments);
  free(o->offsets);
  free(o->symbols);
  free(o->targets);
}

#endif
