"""Kernels as implementations of ONNX operators."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.frontends.onnx import registry
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.values import Value, from_ir
from mlc.kernels.errors import KernelError, surface
from mlc.kernels.graphs.kernel_calls import launch
from mlc.kernels.python_kernel import Kernel


@surface
def register_onnx_operator(domain: str, name: str, kernel: Kernel, since: int = 1) -> None:
    """Lets `kernel` be the operator `name` of `domain`, from version `since` of the domain on.

    The node's inputs are the kernel's, in order, its attributes the kernel's constants by name; the results'
    types follow from the kernel's signature. Raises KernelError if there is such an operator already.
    """
    if registry.lookup(domain, name, since) is not None:
        raise KernelError(f"the operator {name} of domain '{domain}' is there already")

    def import_node(node: Node) -> list[Value]:
        return _import(node, kernel)

    registry.onnx_operator(name, domain=domain, since=since)(import_node)


def _import(node: Node, kernel: Kernel) -> list[Value]:
    """Builds the node as a launch of the kernel. Raises NodeError."""
    wanted = kernel.signature.inputs
    if len(node.inputs) != len(wanted) or None in node.inputs:
        names = ", ".join(parameter.name for parameter in wanted)
        raise NodeError(f"the kernel {kernel.name} takes {len(wanted)} inputs: {names}")
    values = [node.input(index).ir for index in range(len(wanted))]
    try:
        with node.location:
            results = launch(kernel, values, node.attributes)
    except KernelError as error:
        raise NodeError(str(error)) from None
    return [from_ir("", value, _dims(value)) for value in results]


def _dims(value: ir.Value) -> tuple[int, ...]:
    return tuple(ir.RankedTensorType(value.type).shape)
