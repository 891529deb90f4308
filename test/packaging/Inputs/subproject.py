"""tkc as a part of a project: what would be run. Building it takes as long as building tkc, so only the plan is read."""
import os
import sys

import package

folder = package.fresh(sys.argv[1])
WAYS = {
    "add_subdirectory": f'add_subdirectory("{package.SOURCE}" tkc EXCLUDE_FROM_ALL)',
    "FetchContent": f'include(FetchContent)\nFetchContent_Declare(tkc SOURCE_DIR "{package.SOURCE}")\n'
                    "FetchContent_MakeAvailable(tkc)",
}
for name, way in WAYS.items():
    source, built = os.path.join(folder, name), os.path.join(folder, "built " + name)
    body = "tkc_add_library(kernels SOURCES one.tk BACKEND EMULATOR)\nadd_executable(app main.cpp)\n" \
           "target_link_libraries(app PRIVATE kernels)"
    package.write(source, {**package.KERNELS, **package.project(body, languages="C CXX", package=way),
                           "main.cpp": "#include <one.h>\nint main() {}\n"})
    package.configure(source, built)
    plan = package.run(["ninja", "-C", built, "-t", "commands", "app"])
    runtime = os.path.join(package.SOURCE, "runtime")
    assert f"{built}/bin/tkc" in plan and "-MD -MF one.d" in plan, plan[-3000:]
    compile_line = next(line for line in plan.splitlines() if "one.cu.o -c" in line)
    assert f"{runtime}/emulator" in compile_line and f"{runtime}/hopper" in compile_line, compile_line
    link = plan.splitlines()[-1]
    assert "libtkemulator.a" in link and "--undefined=tkc_object_kernels_one" in link, link
    assert "emulator-tests" not in plan and "tk-opt" not in plan
    print(name, "plans", sum("bin/tkc" in line and "one.tk" in line for line in plan.splitlines()), "call of tkc")
