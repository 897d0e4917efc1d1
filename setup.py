"""Configuration of setuptools beyond pyproject.toml: the C extension module, the links in mlc/."""

import os
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

# Sources that mlc compiles into the shared libraries it makes; they are no part of the extension module.
STANDALONE = "standalone"

NATIVE = Extension(
    "mlc.runtime._native",
    sources=sorted(path for path in glob("runtime/csrc/**/*.c", recursive=True) if STANDALONE not in path),
    depends=sorted(glob("runtime/csrc/**/*.h", recursive=True)),
    include_dirs=["runtime/csrc"],
    extra_compile_args=["-O2", "-std=c11", "-Wall", "-Wextra", "-pthread", "-fvisibility=hidden"],
    extra_link_args=["-pthread"],
)


class LinkedSdist(sdist):
    """Makes a source archive with the layout of the checkout, where setuptools would follow the links."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Copies `files` with links resolved, and restores the links in `base_dir`."""
        links = {str(path): os.readlink(path) for path in Path("mlc").iterdir() if path.is_symlink()}
        linked = tuple(f"{link}/" for link in links)
        files = [name.removeprefix("mlc/") if name.startswith(linked) else name for name in files]
        super().make_release_tree(base_dir, files)
        for link, target in links.items():
            os.symlink(target, Path(base_dir, link))


setup(
    ext_modules=[NATIVE],
    cmdclass={"sdist": LinkedSdist},
    # Puts the checkout on the path; type checkers and editors cannot follow an import hook.
    options={"editable_wheel": {"mode": "compat"}},
)
