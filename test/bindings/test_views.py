"""Views of upstream's ops: fields by name."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from mlc.bindings import (
    arith,
    builtin,
    create_context,
    fields,
    func,
    ir,
    linalg,
    memref,
    scf,
    vector,
    wheel_ops,
)
from mlc.bindings.views import AnyView, GroupView, View

_TEXT = """
func.func @f(%m: memref<4x8xf32>, %i: index, %value: f32) -> f32 {
  %read = vector.transfer_read %m[%i, %i], %value {in_bounds = [true]} : memref<4x8xf32>, vector<8xf32>
  %part = memref.subview %m[%i, 0] [2, %i] [1, 1]
    : memref<4x8xf32> to memref<2x?xf32, strided<[8, 1], offset: ?>>
  %true = arith.constant true
  %chosen = scf.if %true -> f32 { scf.yield %value : f32 } else { scf.yield %value : f32 }
  %greater = arith.cmpf ogt, %chosen, %value : f32
  %sum = arith.addf %chosen, %value fastmath<fast> : f32
  linalg.fill ins(%value : f32) outs(%m : memref<4x8xf32>)
  return %sum : f32
}
"""


class _Body:
    def __init__(self) -> None:
        # Python handles do not keep the module alive.
        self.module = ir.Module.parse(_TEXT, context=create_context())
        self.function = self.module.body.operations[0].operation

    def op(self, name: str) -> ir.Operation:
        body = self.function.regions[0].blocks[0]
        return next(op.operation for op in body if op.operation.name == name)


@pytest.fixture
def body() -> Iterator[_Body]:
    yield _Body()


def test_functions(body: _Body) -> None:
    function = func.Func(body.function)
    assert function.sym_name == "f"
    assert [str(result) for result in function.function_type.results] == ["f32"]
    assert function.arguments == list(function.entry_block.arguments)
    assert builtin.Module(body.module.operation).sym_name is None
    function.sym_name = "g"
    assert body.function.attributes["sym_name"].value == "g"


def test_segments(body: _Body) -> None:
    memory, index, value = func.Func(body.function).arguments
    read = vector.TransferRead(body.op("vector.transfer_read"))
    assert (read.base, read.indices, read.padding, read.mask) == (memory, [index, index], value, None)
    part = memref.SubView(body.op("memref.subview"))
    assert (part.source, part.offsets, part.sizes, part.strides) == (memory, [index], [index], [])
    assert part.static_sizes[0] == 2
    filled = linalg.Fill(body.op("linalg.fill"))
    assert (filled.inputs, filled.outputs) == ([value], [memory])


def test_operands_are_replaced(body: _Body) -> None:
    value = func.Func(body.function).arguments[2]
    added = arith.AddF(body.op("arith.addf"))
    assert added.lhs == scf.If(body.op("scf.if")).results[0]
    added.lhs = value
    assert [added.lhs, added.rhs] == [value, value]
    with pytest.raises(AttributeError, match=r"arith\.addf is read-only"):
        added.result = value


def test_integers_keep_their_type(body: _Body) -> None:
    class Predicate(View):
        NAME = "arith.cmpf"
        predicate = fields.integer()
        width = fields.integer(8)

    compared = Predicate(body.op("arith.cmpf"))
    compared.predicate = 4
    assert compared.predicate == arith.CmpFPredicate.OLT
    body.op("arith.cmpf").attributes["width"] = ir.Attribute.parse("3 : i32", body.module.context)
    compared.width = 5
    assert str(body.op("arith.cmpf").attributes["width"]) == "5 : i32"


def test_regions_and_definitions(body: _Body) -> None:
    chosen = scf.If(body.op("scf.if"))
    assert [block.operations[0].operation.name for block in chosen.then_region] == [scf.Yield.NAME]
    condition = arith.Constant.defining(chosen.condition)
    assert condition is not None and str(condition.value) == "true"
    assert scf.For.defining(chosen.condition) is None
    assert scf.For.defining(func.Func(body.function).arguments[0]) is None


def test_other_ops_are_refused(body: _Body) -> None:
    op = body.op("scf.if")
    assert scf.For.match(op) is None and not scf.For.isa(op) and scf.If.isa(op.opview)
    with pytest.raises(TypeError, match=r"For is a view of scf\.for, but the op is scf\.if"):
        scf.For(op)


class _Either(GroupView):
    NAMES = frozenset({scf.For.NAME, scf.If.NAME})
    results = fields.results()


class _Marks(AnyView):
    most = fields.optional(fields.integer(name="test.most"))
    least = fields.integer(name="test.least")
    names = fields.strings((), name="test.names")
    scale = fields.scalar(1.0, name="test.scale")
    done = fields.unit(name="test.done")


def test_groups(body: _Body) -> None:
    assert _Either(body.op("scf.if")).results[0].type == ir.F32Type.get(body.module.context)
    with pytest.raises(TypeError, match=r"_Either is a view of scf\.for, scf\.if, but"):
        _Either(body.op("arith.addf"))


def test_attributes_of_any_op(body: _Body) -> None:
    marks = _Marks(body.op("arith.addf"))
    assert (marks.most, marks.names, marks.scale, marks.done) == (None, (), 1.0, False)
    with pytest.raises(LookupError, match=r"arith\.addf has no attribute 'test\.least'"):
        _ = marks.least
    marks.most, marks.least, marks.names, marks.scale, marks.done = 3, 1, ("a", "b"), 2, True
    assert (marks.most, marks.least, marks.names, marks.scale, marks.done) == (3, 1, ("a", "b"), 2, True)
    marks.most, marks.done = None, False
    assert "test.most" not in marks.operation.attributes and not marks.done
    with pytest.raises(TypeError, match="must be there"):
        marks.least = None  # type: ignore[assignment]


@pytest.mark.parametrize("dialect", sorted(wheel_ops.VIEWED))
def test_views_read_what_the_wheel_declares(dialect: str) -> None:
    """Each op has a view beside the wheel's class, whose name the view does not hide."""
    from mlc import bindings

    module = getattr(bindings, dialect)
    for op in wheel_ops.ops(dialect):
        assert op.name == getattr(module, op.class_name).OPERATION_NAME


def test_views_do_not_load_the_wheels_module() -> None:
    code = (
        "import sys; from mlc.bindings import linalg; linalg.Fill; "
        "print('torch_mlir.dialects.linalg' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
