"""The words that mlc does not use, and what it says instead: the source of the tables of docs/glossary.md.

An `Entry` finds a word in prose by a regular expression, whose spaces match any white space, and in
identifiers by the words that they consist of. `ALLOWED` are upstream's own names and plain senses, each with
its reason.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A word, and by sense what stands in its place. `names`: words of identifiers, joined by spaces."""

    word: str
    instead: str
    why: str = ""
    prose: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Allowed:
    """A use of `word` that stays: `pattern` matches around it in a line of a file that `files` matches."""

    word: str
    pattern: str
    reason: str
    files: str = "*"


_NUMBERED = (
    "line|version|field|opset|random|pseudo-random|complex|subnormal|denormal|denormalised|odd|even|prime|natural|"
    "magic|serial|floating-point|error|total|any|same|issue|port"
)

ENTRIES = (
    Entry(
        "place, places",
        "of an element: index, coordinates, position; in memory: offset, address, buffer; of a use: operand, "
        "use; in a pipeline: position; in source: location",
        "One word for six things. The verb for devices and arenas, and `in place`, stay.",
        r"\bplaces?\b",
        ("place", "places"),
    ),
    Entry(
        "number, numbers (of a value)",
        "element, value, scalar, integer, constant; of a thing: index, id; of elements of 32 bits: i32, f32",
        "`number of x` is a count and stays; so do random, complex and version numbers.",
        rf"(?<!random )(?<!complex )(?<!subnormal )\bnumbers\b(?! of (?!\d|type))"
        rf"|(?<!\w)(?<!-)\b(?!(?:{_NUMBERED})\b)\w+ (?P<word>number)\b(?! of)",
        ("number", "numbers"),
    ),
    Entry("behind", "after; of a name: referenced by, that it stands for", "", r"\bbehind\b", ("behind",)),
    Entry("in front (of)", "before", "", r"\bin front\b", ("in front",)),
    Entry(
        "lie, lies, lay",
        "is stored, resides, is at; side by side: are contiguous; of a number between bounds: is in [a, b)",
        "`lies between` of numbers stays.",
        r"\b(?:lies?|lying)\b(?! between)|\blay\b(?! out)",
        ("lies", "lie"),
    ),
    Entry(
        "only a call / running tells",
        "dynamic, known at run time only",
        "The field's opposite of static.",
        r"\bonly (?:\w+ ){0,3}?(?:calls?|running|runs?|data)(?: \w+){0,3}? (?:tells?|knows?|says?|gives?)\b",
    ),
    Entry(
        "tell, tells, told, untold",
        "specifies, gives, determines; told: static, known, specified; told (an observer): notified",
        "`tell apart` stays.",
        r"\btells?\b(?! (?:\w+ ){0,3}?(?:apart|from))|\b(?:un)?told\b(?! apart)",
        ("told", "untold", "tell", "tells"),
    ),
    Entry(
        "said; says of",
        "stated, given, specified, known; describes, states about",
        "",
        r"\bsaid\b|\bsays? of\b",
        ("said",),
    ),
    Entry(
        "kind, kinds",
        "type, category, class, variant; of an op: its name; of a buffer: memory space",
        "Upstream's `kind` attributes and Python's `.kind` stay.",
        r"\bkinds?\b",
        ("kind", "kinds"),
    ),
    Entry(
        "alike",
        "equal, identical, uniform, invariant; adverb: the same way, uniformly",
        "A value that all lanes share is uniform; along an axis on which it is equal it has constancy.",
        r"\balike\b",
        ("alike",),
    ),
    Entry("under way", "in flight, pending, outstanding", "", r"\bunder way\b", ("under way", "underway")),
    Entry(
        "tape",
        "step list",
        "In the field a tape is the record of automatic differentiation.",
        r"\btapes?\b",
        ("tape", "tapes"),
    ),
    Entry(
        "own programs; a program of its own",
        "specialised programs",
        "",
        r"\bown programs?\b|\bprograms? of (?:its|their) own\b",
        ("own program", "own programs"),
    ),
    Entry(
        "of its own, of their own, of one's own",
        "separate, dedicated, private, its",
        "",
        r"(?<!program )(?<!programs )\bof (?:its|their|our|your|one's) own\b",
    ),
    Entry(
        "on read",
        "rematerialised in the consumer",
        "Register allocation and activation checkpointing call it rematerialisation.",
        "",
        ("on read",),
    ),
    Entry(
        "take turns, in turns, turn of",
        "of warp groups: ping-pong; of measurements: are interleaved; of blocks: round-robin",
        "FlashAttention-3 and CUTLASS say ping-pong.",
        r"\b(?:tak\w+|took|in) turns\b|\bturns? of\b|\b(?:its|their|whose) turns?\b",
        ("turn", "turns"),
    ),
    Entry(
        "delayed products",
        "software-pipelined loop, software pipelining",
        "",
        r"\bdelay(?:s|ed|ing)? (?:its |the |last )*products?\b",
        ("delayed product", "delayed products", "delay product"),
    ),
    Entry("anew", "again; or a verb with re-: rebuilds, recomputes, re-emits", "", r"\banew\b", ("anew",)),
    Entry("in the place of", "instead of, replaces", "", r"\bin the place of\b"),
    Entry("by way of", "through, via", "", r"\bby way of\b"),
    Entry("take for true", "assume", "", r"\bfor true\b", ("taken for true",)),
    Entry("whoever", "the caller, the user, the consumer", "", r"\bwhoever\b", ("whoever",)),
    Entry("surely", "provably, always; of a multiple: divisibility", "", r"\bsurely\b", ("surely",)),
    Entry("in vain", "unused, dead, loop-invariant, redundant", "", r"\bin vain\b"),
    Entry("so many, so much", "a given number of; name the parameter", "", r"\b(?<!not )so (?:many|much)\b"),
    Entry("truth value", "boolean", "", r"\btruth values?\b", ("truth value",)),
    Entry("number of runs (of a loop)", "trip count", "", r"\bnumber of runs\b", ("run count",)),
    Entry(
        "first, second cache", "L1, L2 cache", "", r"\b(?:first|second) caches?\b(?! miss)", ("second cache",)
    ),
    Entry("whole tile", "full tile", "Its opposite is a partial tile.", r"\bwhole tiles?\b", ("whole tile",)),
    Entry(
        "tensor unit",
        "tensor core (NVIDIA), matrix core (AMD), matrix unit (both)",
        "",
        r"\btensor units?\b",
        ("tensor unit", "tensor units"),
    ),
    Entry(
        "copy engine (TMA)",
        "TMA, the Tensor Memory Accelerator",
        "In CUDA a copy engine is the DMA unit between host and device.",
        r"\bcopy engines?\b",
        ("copy engine",),
    ),
    Entry(
        "ordinary number",
        "normal value (finite, neither zero nor subnormal)",
        "IEEE 754's term.",
        r"\bordinary (?:numbers?|values?)\b",
        ("ordinary",),
    ),
)

# Files that are written from the code or from measurements: what they repeat is reported where it is written.
GENERATED = (
    "docs/dialects/*.md",
    "docs/tools/*.md",
    "docs/tools.md",
    "docs/operators.md",
    "docs/passes.md",
    "docs/pipelines.md",
    "docs/runtime-functions.md",
    "docs/levels.md",
    "docs/gpu-models.md",
    "docs/conformance.md",
    "docs/upstream-tests.md",
    "docs/ablation.md",
    "dialects/*/views.py",
    "bindings/dialects/*.py",
)

# Irregular participles; regular ones end in "ed".
PARTICIPLES = frozenset(
    "told said made kept held found left sent built taken given written known chosen broken seen done shown "
    "drawn grown hidden meant spent begun driven eaten fallen frozen woven".split()
)
NOT_PARTICIPLES = frozenset("seed feed need embed speed shed exceed proceed succeed red bleed indeed".split())

# These files name the words themselves.
OWN_FILES = (
    "bindings/former_names.py",
    "docs/glossary.md",
    "test/tools/checks/test_words.py",
    "test/tools/mlc-opt/former-names.mlir",
    "tools/checks/glossary.py",
)

ALLOWED = (
    Allowed(
        "place, places",
        r"\b[Ii]n[- _]place\b|\b\w*(?:in_place|IN_PLACE|InPlace)\w*\b",
        "in-place update is the field's term",
    ),
    Allowed(
        "place, places", r"\btak(?:es?|ing|en) place\b|\btook place\b|\bdecimal places?\b", "plain English"
    ),
    Allowed(
        "place, places", r"\bgraph-place\b|\bgraph\.place\b", "device placement; the pass and its attribute"
    ),
    Allowed(
        "place, places",
        r"\bplaces?\b|\bplace_(?:of|ops)\b|\b_?PLACE_PASS\b|\bPLACE\b|\bPlaceOps\b|\bPlaces\b|\b_place_between\b",
        "device placement",
        "*/place.py",
    ),
    Allowed(
        "place, places",
        r"\bplace_of\b|\b_PLACE_PASS\b|\bPlaceOps\b|\bgraph\.fusion\.place\b",
        "device placement",
    ),
    Allowed("place, places", r"\bplaces?\b", "device placement", "docs/placement.md"),
    Allowed(
        "place, places",
        r"\b(?:to|cannot|can|not|may|must|would) place\b",
        "the verb: placement on a device, in an arena",
    ),
    Allowed(
        "number, numbers (of a value)",
        r"\bnumbers?_of_\w+|\b(?:line|version|opset|field)_numbers?\b",
        "counts and the plain sense",
    ),
    Allowed(
        "number, numbers (of a value)",
        r"\brandom_numbers?\b|\bcomplex_numbers?\b|\brandom numbers?\b",
        "the plain sense",
    ),
    Allowed("number, numbers (of a value)", r'"graph-number-objects"', "a former name", "passes/registry.py"),
    Allowed("take turns, in turns, turn of", r"\bturn_(?:on|off|over|into)\b", "the verb"),
    Allowed(
        "kind, kinds",
        r"\bvector\.kind\b|\bCombiningKind\b|\b\w*dtype\.kind\b|\bParameter\.kind\b|\bRMWKind\b"
        r"|\b(?:schedule|shfl|proxy)_kind\b|\bredKind\b"
        r'|attributes\["kind"\]|"kind": "llvm"|\bkind: ir\.StringAttr\b',
        "upstream's own names",
    ),
    Allowed("kind, kinds", r"cudaMemcpyKind|\bkind of cudaMemcpy\b", "the CUDA API's own name"),
)
