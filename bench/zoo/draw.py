"""Draws the inputs of a call of one of the zoo's models."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

import numpy as np

from bench.zoo.model import Input, Model, Sizes

Scalar = int | float
_BINARY: Mapping[type[ast.operator], Callable[[Scalar, Scalar], Scalar]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def draw(model: Model, sizes: Sizes, seed: int = 0) -> dict[str, np.ndarray]:
    """Draws the inputs of one call of `model`. Equal arguments give equal inputs.

    Raises:
        ValueError: A shape or the values of an input make no sense; the message names the input.
    """
    generator = np.random.default_rng(seed)
    return {name: _draw(generator, name, described, sizes) for name, described in model.inputs.items()}


def shape_of(described: Input, sizes: Sizes) -> tuple[int, ...]:
    """Returns the shape of an input for a choice of the named sizes."""
    return tuple(int(evaluate(dim, sizes)) for dim in described.shape)


def evaluate(text: int | str, sizes: Sizes) -> Scalar:
    """Evaluates an arithmetic expression over the names of sizes.

    Raises:
        ValueError: `text` is no such expression, or names a size that `sizes` lacks.
    """
    try:
        return _value(ast.parse(str(text), mode="eval").body, sizes)
    except (SyntaxError, KeyError) as error:
        raise ValueError(f"'{text}' is no expression over the sizes {', '.join(sizes)}") from error


def _value(node: ast.expr, sizes: Sizes) -> Scalar:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        return sizes[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, sizes)
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](_value(node.left, sizes), _value(node.right, sizes))
    raise KeyError(ast.unparse(node))


def _draw(generator: np.random.Generator, name: str, described: Input, sizes: Sizes) -> np.ndarray:
    try:
        word, arguments = _values(described.values, sizes)
        values = _DRAWN[word](generator, shape_of(described, sizes), *arguments)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"input '{name}': '{described.values}' does not describe values: {error}") from error
    # Not ascontiguousarray, which makes a vector of a scalar.
    return np.array(values, described.type, order="C")


def _values(text: str, sizes: Sizes) -> tuple[str, list[Scalar]]:
    word, _, rest = text.partition("(")
    arguments = [argument for argument in rest.removesuffix(")").split(",") if argument.strip()]
    return word, [evaluate(argument.strip(), sizes) for argument in arguments]


Shape = tuple[int, ...]
_WORDS = np.array("the a model compiler reads of small trained text and tensor".split())


def _normal(generator: np.random.Generator, shape: Shape, mean: Scalar = 0, scale: Scalar = 1) -> np.ndarray:
    return mean + scale * generator.standard_normal(shape, np.float32)


def _integers(generator: np.random.Generator, shape: Shape, low: Scalar, high: Scalar) -> np.ndarray:
    return generator.integers(int(low), int(high), shape)


def _arange(generator: np.random.Generator, shape: Shape, start: Scalar = 0) -> np.ndarray:
    del generator
    return np.broadcast_to(start + np.arange(shape[-1]), shape)


def _padding(generator: np.random.Generator, shape: Shape) -> np.ndarray:
    length = shape[-1]
    kept = generator.integers(length - length // 2, length + 1, (*shape[:-1], 1))
    return np.arange(length) < kept


def _text(generator: np.random.Generator, shape: Shape, words: Scalar = 8) -> np.ndarray:
    texts = [" ".join(generator.choice(_WORDS, int(words))) for _ in range(math.prod(shape))]
    return np.array(texts, object).reshape(shape)


def _page(generator: np.random.Generator, shape: Shape, ink: Scalar, paper: Scalar) -> np.ndarray:
    """Draws images [..., height, width] of lines of words, whose letters are blocks of ink."""
    *channels, height, width = shape
    cells = generator.random((*channels[:-1], 1, -(-height // 4), -(-width // 3))) < 0.5
    letters = cells.repeat(4, axis=-2).repeat(3, axis=-1)[..., :height, :width]
    lines = abs(np.arange(height) % 32 - 15.5) < 8
    words = np.arange(width) % 40 < 32
    return np.broadcast_to(np.where(letters & lines[:, None] & words, ink, paper), shape)


_DRAWN: Mapping[str, Callable[..., np.ndarray]] = {
    "normal": _normal,
    "uniform": lambda generator, shape, low, high: generator.uniform(low, high, shape),
    "integers": _integers,
    "ones": lambda generator, shape: np.ones(shape),
    "zeros": lambda generator, shape: np.zeros(shape),
    "arange": _arange,
    "padding": _padding,
    "page": _page,
    "text": _text,
}
