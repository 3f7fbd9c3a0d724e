"""Generates the protobuf modules from catalog.proto: `python -m serving_grpc.generate [folder]` (needs the dev extra)."""

import sys
from importlib import resources
from pathlib import Path

HERE = Path(__file__).parent
OUTPUTS = ("catalog_pb2.py", "catalog_pb2.pyi", "catalog_pb2_grpc.py")


def generate(folder: Path) -> None:
    """Writes `OUTPUTS` into `folder`; raises RuntimeError when protoc refuses the file."""
    from grpc_tools import protoc  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415 (a development tool)

    includes = str(resources.files("grpc_tools") / "_proto")
    arguments = ["protoc", f"-I{HERE}", f"-I{includes}"]
    arguments += [f"--python_out={folder}", f"--pyi_out={folder}", f"--grpc_python_out={folder}"]
    if protoc.main([*arguments, str(HERE / "catalog.proto")]) != 0:
        raise RuntimeError("protoc refused serving_grpc/catalog.proto")
    stub = folder / "catalog_pb2_grpc.py"
    stub.write_text(stub.read_text().replace("import catalog_pb2", "from serving_grpc import catalog_pb2"))
    types = folder / "catalog_pb2.pyi"
    types.write_text(f"# ruff: noqa: I001, RUF023, UP007, UP045\n# fmt: off\n{types.read_text()}")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
