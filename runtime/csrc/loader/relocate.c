/* Relocations of x86-64 (System V psABI, table 4.9), small code model, position-independent. */
#include "loader/link.h"

#include <string.h>

#if defined(__x86_64__) && defined(__linux__)

typedef struct {
  object_file *object;
  size_t object_index, section; /* the section that is changed */
  size_t index;                 /* of the relocation in its table, for messages */
  Elf64_Rela rela;
  symbol_target *target;
} relocation;

typedef bool visitor(linker *l, const relocation *r);

static size_t relocation_width(uint32_t type) {
  switch (type) {
  case R_X86_64_64:
  case R_X86_64_PC64:
    return 8;
  case R_X86_64_32:
  case R_X86_64_32S:
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return 4;
  default:
    return 0;
  }
}

static bool uses_slot(uint32_t type) {
  return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

static bool fail_relocation(linker *l, const relocation *r, const char *what) {
  const object_file *o = r->object;
  return link_fail(l, "object %zu, section %s, relocation %zu: %s", r->object_index,
                   section_name(o, &o->sections[r->section]), r->index, what);
}

static const char *target_name(const relocation *r) {
  const Elf64_Sym *symbol = &r->object->symbols[ELF64_R_SYM(r->rela.r_info)];
  return symbol->st_name < r->object->strings_size ? r->object->strings + symbol->st_name : "?";
}

static bool check_relocation(linker *l, const relocation *r) {
  const Elf64_Shdr *section = &r->object->sections[r->section];
  const uint32_t type = ELF64_R_TYPE(r->rela.r_info);
  const size_t width = relocation_width(type);
  if (width == 0)
    return link_fail(l, "object %zu, section %s: relocation type %u is not supported%s", r->object_index,
                     section_name(r->object, section), type,
                     type >= R_X86_64_DTPMOD64 && type <= R_X86_64_TPOFF32 ? " (thread-local storage)" : "");
  if (section->sh_type == SHT_NOBITS || section->sh_size < width || r->rela.r_offset > section->sh_size - width)
    return fail_relocation(l, r, "its offset is outside the section");
  if (r->target->state == TARGET_UNDEFINED)
    return link_fail(l, "object %zu: undefined symbol '%s'", r->object_index, target_name(r));
  if (r->target->state == TARGET_UNUSABLE)
    return fail_relocation(l, r, "it refers to a symbol that has no address in memory");
  return true;
}

static bool visit_table(linker *l, size_t object, const Elf64_Shdr *table, visitor *visit) {
  object_file *o = &l->objects[object];
  for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); i++) {
    relocation r = {.object = o, .object_index = object, .section = table->sh_info, .index = i};
    memcpy(&r.rela, o->bytes + table->sh_offset + i * sizeof r.rela, sizeof r.rela);
    if (ELF64_R_TYPE(r.rela.r_info) == R_X86_64_NONE)
      continue;
    if (ELF64_R_SYM(r.rela.r_info) >= o->symbol_count)
      return fail_relocation(l, &r, "its symbol does not exist");
    r.target = &o->targets[ELF64_R_SYM(r.rela.r_info)];
    if (!check_relocation(l, &r) || !visit(l, &r))
      return false;
  }
  return true;
}

static bool visit_relocations(linker *l, visitor *visit) {
  for (size_t object = 0; object < l->count; object++) {
    const object_file *o = &l->objects[object];
    for (size_t i = 0; i < o->section_count; i++) {
      const Elf64_Shdr *table = &o->sections[i];
      if (table->sh_type != SHT_RELA)
        continue;
      if (table->sh_info >= o->section_count || table->sh_entsize != sizeof(Elf64_Rela))
        return link_fail(l, "object %zu: section %zu is not a valid relocation table", object, i);
      if (o->offsets[table->sh_info] != NOT_LOADED && !visit_table(l, object, table, visit))
        return false;
    }
  }
  return true;
}

static bool assign_slot(linker *l, const relocation *r) {
  if (r->target->slot == 0 && (r->target->state == TARGET_HOST || uses_slot(ELF64_R_TYPE(r->rela.r_info))))
    r->target->slot = ++l->slots;
  return true;
}

bool scan_relocations(linker *l) { return visit_relocations(l, assign_slot); }

static uint8_t *slot_address(const linker *l, size_t slot) {
  return l->base + l->slots_offset + (slot - 1) * SLOT_BYTES;
}

static uint8_t *stub_address(const linker *l, size_t slot) {
  return l->base + l->stubs_offset + (slot - 1) * STUB_BYTES;
}

/* `jmp *slot(%rip)`: the mapping may be further than 2 GiB from this process's libraries. */
static void write_slot(linker *l, const symbol_target *target) {
  uint8_t *slot = slot_address(l, target->slot), *stub = stub_address(l, target->slot);
  const int32_t distance = (int32_t)(slot - (stub + 6));
  memcpy(slot, &target->address, sizeof target->address);
  memcpy(stub, "\xff\x25", 2);
  memcpy(stub + 2, &distance, sizeof distance);
}

static bool apply_relocation(linker *l, const relocation *r) {
  const uint32_t type = ELF64_R_TYPE(r->rela.r_info);
  uint8_t *location = section_address(l, r->object, r->section) + r->rela.r_offset;
  const uint64_t addend = (uint64_t)r->rela.r_addend, from = (uint64_t)(uintptr_t)location;
  uint64_t target = r->target->address;
  if (uses_slot(type))
    target = (uint64_t)(uintptr_t)slot_address(l, r->target->slot);
  else if (r->target->state == TARGET_HOST && (type == R_X86_64_PC32 || type == R_X86_64_PLT32))
    target = (uint64_t)(uintptr_t)stub_address(l, r->target->slot);
  const bool absolute = type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S;
  const uint64_t value = target + addend - (absolute ? 0 : from);
  if (relocation_width(type) == 8) {
    memcpy(location, &value, 8);
    return true;
  }
  if (type == R_X86_64_32 ? value > UINT32_MAX : value + UINT64_C(0x80000000) > UINT32_MAX)
    return fail_relocation(l, r, absolute ? "an absolute address of 32 bits; compile with reloc=pic"
                                          : "the distance does not fit in 32 bits");
  const uint32_t narrow = (uint32_t)value;
  memcpy(location, &narrow, 4);
  return true;
}

bool apply_relocations(linker *l) {
  for (size_t i = 0; i < l->count; i++)
    for (size_t s = 0; s < l->objects[i].symbol_count; s++)
      if (l->objects[i].targets[s].slot)
        write_slot(l, &l->objects[i].targets[s]);
  return visit_relocations(l, apply_relocation);
}

#endif
