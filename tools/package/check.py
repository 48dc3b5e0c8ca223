"""script/package --check: unpacks or installs each package where there is nothing else, and uses it there as an ordinary user."""
import glob, gzip, hashlib, io, json, os, re, shutil, subprocess, tarfile, tempfile, time, urllib.request

import bundle
import table
from project import GLIBC, MACHINE, REGISTRY, ROOT, VERSION, names, sources_hash

RESULT = os.path.join(ROOT, "packages/checked.json")
USER = 65532
# What a program of this machine says when it is shut in: one process starts the server, another asks it how it is.
SERVE = r"""
set -e
"$1" serve --fixture office --port 8787 --json >/tmp/ready 2>/tmp/said &
server=$!
n=0
until [ -s /tmp/ready ]; do n=$((n + 1)); [ $n -lt 600 ] || { cat /tmp/said; exit 1; }; kill -0 $server || { cat /tmp/said; exit 1; }; sleep 0.1; done
"$1" health
kill $server
wait $server
"""


class Failed(Exception):
    pass


def run(words, seconds=300, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, **options)
    if done.returncode != 0:
        raise Failed("%s ended with %d:\n%s%s" % (" ".join(map(str, words))[:300], done.returncode, done.stdout[-2000:], done.stderr[-3000:]))
    return done.stdout


def expect(what, good, seen=""):
    if not good:
        raise Failed("%s: %s" % (what, seen))


def shut_in(root, words, binds=(), env=None, seconds=300, **options):
    """A command below a root of its own, as an ordinary user, without this machine's network."""
    line = ["bwrap", "--unshare-all", "--uid", str(USER), "--gid", str(USER), "--die-with-parent", "--clearenv", "--setenv", "PATH", "/bin:/usr/bin",
            "--setenv", "HOME", "/tmp", "--bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp"]
    for name, value in (env or {}).items():
        line += ["--setenv", name, value]
    for source, target in binds:
        line += ["--ro-bind", source, target]
    return run([*line, *words], seconds, **options)


def empty_root(at):
    """A root that has busybox, which is static, and nothing else."""
    for name in ("bin", "proc", "dev", "tmp", "sandbox"):
        os.makedirs(os.path.join(at, name))
    shutil.copy("/bin/busybox" if os.path.exists("/bin/busybox") else shutil.which("busybox"), os.path.join(at, "bin/busybox"))
    for name in ("sh", "sleep", "cat", "kill", "true", "ls", "mkdir", "env"):
        os.symlink("busybox", os.path.join(at, "bin", name))
    os.chmod(at, 0o755)


def memory(process):
    """Bytes of memory that a process and those that it began have resident."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="utf-8") as f:
                parents[int(name)] = int(f.read().rpartition(")")[2].split()[1])
        except OSError:
            pass  # it has ended
    family, grown = {process}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in family}
        grown, family = not more <= family, family | more
    total = 0
    for pid in family:
        with open("/proc/%d/statm" % pid, encoding="utf-8") as f:
            total += int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


def started(program, tries=3):
    """From the command's start to the first answer of the office world, the best of a few, and the memory that it has then."""
    best, held = None, 0
    for _ in range(tries):
        began = time.monotonic()
        server = subprocess.Popen([*program, "serve", "--fixture", "office", "--port", "0", "--json"], stdout=subprocess.PIPE)
        try:
            url = json.loads(server.stdout.readline())["url"]
            with urllib.request.urlopen(url + "/_sosia/v1/health", timeout=30) as answer:
                expect("the first answer", answer.status == 200)
            took = (time.monotonic() - began) * 1000
            held = max(held, memory(server.pid))
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
        best = took if best is None else min(best, took)
    return {"start_ms": round(best), "memory": held}


def unpacked_size(at):
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, files in os.walk(at) for name in files)


def serves_and_answers(root, program, seen):
    said = shut_in(root, [program, "version"])
    expect("sosia version says its version", VERSION in said, said)
    seen["version"] = said.splitlines()[0]
    said = shut_in(root, ["/bin/sh", "-c", SERVE, "sh", program])
    expect("sosia health says that the server is well", "is well" in said, said)
    seen["health"] = "is well"


def linked(work, where, of=MACHINE):
    """A program that opens an engine, linked with the library by its pkg-config file."""
    source, program = os.path.join(work, "try.c"), os.path.join(work, "try")
    with open(source, "w") as f:
        f.write('#include <sosia.h>\n#include <stdio.h>\nint main(void)\n{\n    struct sosia_engine *e;\n    struct sosia_err err;\n'
                '    if (sosia_engine_open(NULL, &e, &err) < 0)\n        return 1;\n    sosia_engine_close(e);\n    puts(sosia_version());\n}\n')
    flags = run(["pkg-config", "--cflags", "--libs", "sosia"], env={**os.environ, **where}).split()
    compiler = ["gcc"] if of is MACHINE else [of.tool("gcc"), "--sysroot=" + of.root, "-Wl,-rpath-link," + of.place("/usr/lib/" + of.triplet)]
    run([*compiler, source, *flags, "-o", program])
    return program


def found_by_cmake(work, prefix):
    """Whether CMake finds the library below a prefix and a program is linked with it; None: there is no CMake."""
    if not shutil.which("cmake"):
        return None
    folder = os.path.join(work, "cmake")
    os.makedirs(folder)
    with open(folder + "/CMakeLists.txt", "w", encoding="utf-8") as f:
        f.write("cmake_minimum_required(VERSION 3.13)\nproject(try C)\nfind_package(sosia %s REQUIRED)\n"
                "add_executable(try %s/try.c)\ntarget_link_libraries(try sosia::sosia)\n" % (VERSION.rpartition(".")[0], work))
    run(["cmake", "-S", folder, "-B", folder + "/build", "-DCMAKE_PREFIX_PATH=" + prefix])
    run(["cmake", "--build", folder + "/build"])
    return folder + "/build/try"


def check_archive(path, work, of=MACHINE):
    seen = {}
    root = os.path.join(work, "root")
    empty_root(root)
    opt = os.path.join(root, "opt")
    os.makedirs(opt)
    run(["tar", "--zstd", "-xf", path, "-C", opt])
    home = os.path.join(opt, os.path.basename(path).removesuffix(".tar.zst"))
    inside = home.removeprefix(root)
    flaws = bundle.flaws(os.path.join(home, "lib/sosia"), "2.99", inside=False)
    expect("everything that the libraries need lies beside them", not flaws, flaws)
    serves_and_answers(root, inside + "/bin/sosia", seen)
    # by a link, from another folder
    os.symlink(inside + "/bin/sosia", os.path.join(root, "bin/sosia"))
    expect("it is found through a link", VERSION in shut_in(root, ["/bin/sosia", "version"]))
    if of is MACHINE:  # an emulator of programs has no namespaces of its own
        said = run([home + "/bin/sosia", "run", "--fixture", "small", "--", "/bin/sh", "-c", "echo $SOSIA_ACTOR"])
        expect("sosia run works under the own loader", "ada@small.example" in said, said)
        seen["run"] = "works under the own loader"
    program = linked(work, {"PKG_CONFIG_PATH": home + "/lib/pkgconfig"}, of)
    expect("a program that links the library runs", run([*emulated(of), program]).strip().startswith(VERSION))
    seen["library"] = "linked and run"
    program = found_by_cmake(work, home) if of is MACHINE else None
    if program:
        expect("a program that CMake links runs", run([program]).strip().startswith(VERSION))
        seen["cmake"] = "finds it"
    for name in ("share/man/man1/sosia.1", "share/bash-completion/completions/sosia", "share/sosia/suites/office.yaml", "share/sosia/examples/suites/first.yaml", "share/sosia/seccomp.json", "share/doc/sosia/install.md"):
        expect("the archive has it", os.path.exists(os.path.join(home, name)), name)
    if of is MACHINE:
        seen.update(started([home + "/bin/sosia"]))
    seen["unpacked"] = unpacked_size(home)
    return seen


WHEEL_USE = r"""
import base64, os, sosia
assert sosia.__file__.startswith(os.environ["VENV"]), sosia.__file__
with sosia.Engine() as engine, engine.create(fixture="office") as world:
    fork = world.fork()
    person = fork.as_actor(fork.actors()[0]["email"])
    made = person.call("POST", "/calendar/v3/calendars/primary/events", {"summary": "tea", "start": {"dateTime": "2026-02-16T10:00:00Z"}, "end": {"dateTime": "2026-02-16T11:00:00Z"}})
    assert made.status == 200, (made.status, made.text)
    assert made.data["summary"] == "tea"
    for charset, text in (("windows-1252", "Stra\u00dfe \u2013 \u20ac5"), ("shift_jis", "\u4f1a\u8b70"), ("utf-16", "\u4f1a\u8b70"), ("koi8-r", "\u041f\u0440\u0438")):
        mail = "From: a@outside.example\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=%s\r\nContent-Transfer-Encoding: base64\r\n\r\n%s" % (
            charset, base64.b64encode(text.encode(charset)).decode())
        made = person.call("POST", "/gmail/v1/users/me/messages/import", {"raw": base64.urlsafe_b64encode(mail.encode()).decode()})
        got = person.call("GET", "/gmail/v1/users/me/messages/" + made.data["id"]).data["payload"]["body"]["data"]
        assert base64.urlsafe_b64decode(got + "==").decode() == text, (charset, got)
        if charset == "utf-16":
            continue
        page = ('<html><head><meta charset="%s"></head><body><p>%s</p></body></html>' % (charset, text)).encode(charset)
        made = person.call("POST", "/upload/drive/v3/files?uploadType=multipart", b'--b\r\nContent-Type: application/json\r\n\r\n{"mimeType":'
                           b'"application/vnd.google-apps.document"}\r\n--b\r\nContent-Type: text/html\r\n\r\n' + page + b"\r\n--b--",
                           headers={"Content-Type": "multipart/related; boundary=b"})
        got = person.call("GET", "/drive/v3/files/%s/export?mimeType=text/plain" % made.data["id"]).body.decode("utf-8-sig").strip()
        assert got == text, (charset, got)
print("used", sosia.version())
"""
WHEEL_TEST = """
def test_a_world_is_there(sosia_world):
    assert sosia_world.actors()
"""


def check_wheel(path, work, of=MACHINE):
    return check_wheel_here(path, work) if of is MACHINE else check_wheel_emulated(path, work, of)


def check_wheel_emulated(path, work, of):
    """By the Python of the other machine's root."""
    site, seen = os.path.join(work, "site"), {}
    run(["/usr/bin/python3", "-m", "venv", os.path.join(work, "venv")])
    tag = os.path.basename(path).removesuffix(".whl").split("-")[-1]
    run([work + "/venv/bin/pip", "install", "--quiet", "--no-index", "--no-deps", "--only-binary", ":all:", "--platform", tag, "--target", site, path])
    flaws = bundle.flaws(os.path.join(site, "sosia"), GLIBC)
    expect("the files keep to the tag", not flaws, flaws)
    seen["glibc"] = GLIBC
    env = {"PATH": "/usr/bin:/bin", "VENV": site, "PYTHONPATH": site, "PYTHONHOME": of.place("/usr"), "PYTHONDONTWRITEBYTECODE": "1", "HOME": work}
    said = run([*emulated(of), glob.glob(of.place("/usr/bin/python3.[0-9]*"))[0], "-c", WHEEL_USE], env=env, cwd=work)
    expect("the package is used", "used" in said and VERSION in said, said)
    seen["used"] = "fork and call"
    seen["encodings"] = "mail and pages in windows-1252, Shift_JIS, KOI8-R, mail in UTF-16"
    expect("the command runs", VERSION in run([*emulated(of), site + "/sosia/bin/sosia", "version"]))
    seen["command"] = "runs"
    seen["unpacked"] = unpacked_size(site + "/sosia")
    return seen


def check_wheel_here(path, work):
    seen = {}
    venv = os.path.join(work, "venv")
    run(["/usr/bin/python3", "-m", "venv", venv])
    env = {"PATH": "/usr/bin:/bin", "VENV": venv, "HOME": work, "PYTHONDONTWRITEBYTECODE": "1"}
    run([venv + "/bin/pip", "install", "--quiet", "--no-index", path], env=env)
    site = glob.glob(venv + "/lib/python3*/site-packages")[0]
    flaws = bundle.flaws(os.path.join(site, "sosia"), GLIBC)
    expect("the files keep to the tag", not flaws, flaws)
    seen["glibc"] = GLIBC
    said = run([venv + "/bin/python", "-c", WHEEL_USE], env=env, cwd=work)
    expect("the package is used", "used" in said and VERSION in said, said)
    seen["used"] = "fork and call"
    seen["encodings"] = "mail and pages in windows-1252, Shift_JIS, KOI8-R, mail in UTF-16"
    expect("the command runs", VERSION in run([venv + "/bin/sosia", "version"], env=env))
    seen["command"] = "runs"
    # pytest is this machine's; the plugin is the wheel's
    with open(os.path.join(work, "test_it.py"), "w") as f:
        f.write(WHEEL_TEST)
    code = "import sys; sys.path.append('/usr/lib/python3/dist-packages'); import pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'test_it.py']))"
    said = run([venv + "/bin/python", "-c", code], env=env, cwd=work)
    expect("the plugin for pytest is found", "1 passed" in said, said)
    seen["pytest"] = "the plugin's fixture is there"
    seen.update(started([site + "/sosia/bin/sosia"]))
    seen["unpacked"] = unpacked_size(site + "/sosia")
    return seen


NODE_USE = {
    "use.mjs": "import { Engine } from '%s';\nconst engine = new Engine();\n" % REGISTRY,
    "use.cjs": "const { Engine } = require('%s');\nconst engine = new Engine();\n" % REGISTRY,
}
NODE_REST = """const world = engine.world({ fixture: 'office' });
const fork = world.fork();
const actor = fork.asActor(fork.actors()[0].email);
const answer = actor.call({ method: 'GET', url: '/calendar/v3/users/me/calendarList' });
if (answer.status !== 200) throw new Error(String(answer.status));
engine.close();
console.log('used');
"""


def check_npm(path, work, of=MACHINE):
    if of is not MACHINE:  # whose Node is not here: its files are looked at
        run(["tar", "-xf", path, "-C", work])
        flaws = bundle.flaws(os.path.join(work, "package/native"), GLIBC)
        expect("the files keep to glibc %s" % GLIBC, not flaws, flaws)
        expect("the command runs", VERSION in run([*emulated(of), work + "/package/native/linux-%s/bin/sosia" % of.node, "version"]))
        return {"files": "keep to glibc " + GLIBC, "command": "runs", "unpacked": unpacked_size(work + "/package")}
    seen = {}
    app, cache = os.path.join(work, "app"), os.path.join(work, "cache")
    os.makedirs(app)
    with open(os.path.join(app, "package.json"), "w") as f:
        f.write('{"name": "app", "private": true}')
    env = {"PATH": "/usr/bin:/bin", "HOME": work, "npm_config_cache": cache}
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", path], env=env, cwd=app)
    home = os.path.join(app, "node_modules", REGISTRY)
    flaws = bundle.flaws(os.path.join(home, "native"), GLIBC)
    expect("the files keep to glibc %s" % GLIBC, not flaws, flaws)
    with open(os.path.join(home, "package.json")) as f:
        expect("nothing runs at installation", "scripts" not in json.load(f))
    for name, text in NODE_USE.items():
        with open(os.path.join(app, name), "w") as f:
            f.write(text + NODE_REST)
        expect("it is used by " + name, "used" in run(["node", name], env=env, cwd=app))
    seen["used"] = "fork and call, ESM and CJS"
    command = os.path.join(app, "node_modules/.bin/sosia")
    expect("the command runs", VERSION in run([command, "version"], env=env))
    said = run(["bash", "-c", SERVE.replace("/tmp/", work + "/").replace("--port 8787 --json", "--port 18787 --json").replace(
        '"$1" health', '"$1" health --url http://localhost:18787'), "bash", command], env=env)
    expect("sosia health says that the server is well", "is well" in said, said)
    seen["command"] = "serves, is well"
    seen.update(started([command]))
    seen["unpacked"] = unpacked_size(home)
    return seen


def depended(package):
    """What a package is said to need: of alternatives each, without versions."""
    said = run(["dpkg-query", "-W", "-f", "${Pre-Depends}, ${Depends}", package])
    return [re.findall(r"[a-z0-9][a-z0-9+.-]+", re.sub(r"\(.*?\)|:any", "", group)) for group in said.split(",") if group.strip()]


def is_here(package):
    return subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True).stdout == "installed"


def install_libraries(root, needs):
    """The libraries of the packages that are named, and of those that these name, as they are on this machine."""
    waiting, known = list(needs), set()
    while waiting:
        package = waiting.pop()
        if package in known:
            continue
        known.add(package)
        for path in run(["dpkg-query", "-L", package]).splitlines():
            if re.search(r"\.so(\.|$)", os.path.basename(path)) and os.path.isfile(path):
                to = root + path
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copyfile(path, to)
                os.chmod(to, 0o755)
        waiting += [next(name for name in group if is_here(name)) for group in depended(package) if any(map(is_here, group))]


def fields_of(path):
    return dict(re.findall(r"(?m)^([A-Za-z-]+): (.*)$", run(["dpkg-deb", "--field", path])))


def by_apt(debs, work):
    """Debian's own installation, in a root that debootstrap makes."""
    root = os.path.join(work, "debian")
    run(["debootstrap", "--variant=minbase", "bookworm", root], 1200)
    for path in debs:
        shutil.copy(path, root + "/tmp")
    for name in ("resolv.conf", "apt/sources.list", "apt/apt.conf"):
        if os.path.isfile("/etc/" + name):
            shutil.copy("/etc/" + name, os.path.join(root, "etc", name))
    inside = ["chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    run([*inside, "apt-get", "-qq", "update"], 600)
    run([*inside, "apt-get", "-qq", "install", "--yes", "--no-install-recommends", *("/tmp/" + os.path.basename(p) for p in debs)], 1200)
    expect("dpkg finds nothing to complain of", run([*inside, "dpkg", "--audit"]) == "" and run([*inside, "dpkg", "--verify", "sosia"]) == "")
    said = run(["chroot", "--userspec=%d:%d" % (USER, USER), root, "/bin/sh", "-c", SERVE, "sh", "/usr/bin/sosia"])
    expect("sosia health says that the server is well", "is well" in said, said)
    names = [fields_of(p)["Package"] for p in debs]
    run([*inside, "apt-get", "-qq", "purge", "--yes", *names])
    left = [p for p in ("usr/bin/sosia", "usr/include/sosia.h", "usr/share/sosia", "usr/lib/x86_64-linux-gnu/libsosia.so.0") if os.path.lexists(os.path.join(root, p))]
    expect("nothing is left behind", not left, left)


def check_deb(path, work, of=MACHINE):
    """dpkg's own programs unpack them, into a root with the libraries of the packages that they name."""
    seen = {}
    root, home = os.path.join(work, "root"), os.path.join(work, "unpacked")
    empty_root(root)
    debs = [os.path.join(os.path.dirname(path), names()[kind]) for kind in ("deb", "libdeb", "devdeb")]
    about = [fields_of(p) for p in debs]
    expect("they say what they are", [(a["Package"], a["Version"], a["Architecture"]) for a in about]
           == [(name, VERSION, "amd64") for name in ("sosia", "libsosia0", "libsosia-dev")], about)
    needs = sorted({need.split()[0] for a in about for need in a["Depends"].split(", ")} - {"libsosia0"})
    absent = [need for need in needs if not is_here(need)]
    expect("what they need is on this machine, to try them with", not absent, absent)
    for one in debs:
        control = os.path.join(work, os.path.basename(one) + ".control")
        run(["dpkg", "-x", one, home])
        run(["dpkg-deb", "--control", one, control])
        run(["md5sum", "--check", "--strict", "--quiet", control + "/md5sums"], cwd=home)
    seen["depends"] = len(needs)
    seen["unpacked"] = unpacked_size(home)
    shutil.copytree(home, root, symlinks=True, dirs_exist_ok=True)
    install_libraries(root, needs)
    serves_and_answers(root, "/usr/bin/sosia", seen)
    program = linked(work, {"PKG_CONFIG_SYSROOT_DIR": root, "PKG_CONFIG_LIBDIR": root + "/usr/lib/x86_64-linux-gnu/pkgconfig",
                            "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"})
    shutil.copy(program, os.path.join(root, "bin/try"))
    expect("a program that links the library runs", shut_in(root, ["/bin/try"]).strip().startswith(VERSION))
    seen["library"] = "linked and run"
    for name in ("usr/lib/x86_64-linux-gnu/cmake/sosia/sosia-config.cmake", "usr/share/man/man1/sosia.1.gz", "usr/share/doc/sosia/copyright", "usr/share/doc/libsosia0/changelog.gz"):
        expect("the packages have it", os.path.exists(os.path.join(home, name)), name)
    if shutil.which("systemd-analyze"):
        run(["systemd-analyze", "security", "--offline=yes", "--threshold=20", os.path.join(home, "usr/lib/systemd/system/sosia.service")])
        seen["unit"] = "exposed by less than 2 of 10"
    if shutil.which("lintian"):
        run(["lintian", "--allow-root", "--fail-on", "error,warning", *debs])
        seen["lintian"] = "no errors, no warnings"
    if shutil.which("debootstrap"):
        by_apt(debs, work)
        seen["apt"] = "installs, runs, purges"
    seen.update(started([home + "/usr/bin/sosia"]))
    return seen


# In a root that has no shell: busybox is put into it from outside.
IMAGE = r"""
set -e
b=$1
shift
key=$1
shift
"$@" >/tmp/said 2>&1 &
server=$!
n=0
until "$b" grep -q Ctrl-C /tmp/said; do
    n=$((n + 1))
    [ $n -lt 600 ] && kill -0 $server || { "$b" cat /tmp/said; exit 1; }
    "$b" sleep 0.1
done
"$b" cat /tmp/said
/usr/bin/sosia health
export SOSIA_URL=http://localhost:8787
[ -n "$key" ] || key=$("$b" sed -n "s/.*SOSIA_CONTROL_KEY=\([^ ]*\).*/\1/p" /tmp/said)
SOSIA_CONTROL_KEY=$key /usr/bin/sosia world list
kill $server
wait $server
"""


def runs_as_image(layer, config, work, seen):
    root = os.path.join(work, "root")
    os.makedirs(root)
    with tarfile.open(fileobj=layer) as t:
        expect("/tmp is everybody's", t.getmember("tmp").mode == 0o1777)
        expect("/data is the user's", t.getmember("data").uid == USER and config["config"]["User"].startswith(str(USER)))
        t.extractall(root)
    for name in ("proc", "dev"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    words = [*config["config"]["Entrypoint"], *config["config"]["Cmd"]]
    busybox = [(shutil.which("busybox"), "/tmp/busybox")]
    for key in ("", "a-key-that-was-given"):
        said = shut_in(root, ["/tmp/busybox", "sh", "-c", IMAGE, "sh", "/tmp/busybox", key, *words], busybox,
                       {"SOSIA_CONTROL_KEY": key} if key else {})
        expect("the server is well", "is well" in said, said)
        expect("its worlds are listed with its key", "office" in said.split("is well")[1], said)
        found = said.split("SOSIA_CONTROL_KEY=")[1].split()[0]
        expect("the key is a random one, or the one that was given", found == key if key else len(found) == 48, said)
    seen["health"], seen["key"] = "is well", "made and printed, or the given one"
    seen["unpacked"] = unpacked_size(root)


def check_docker(path, work, of=MACHINE):
    seen = {}
    with tarfile.open(path) as t:
        manifest = json.load(t.extractfile("manifest.json"))[0]
        config = json.load(t.extractfile(manifest["Config"]))
        layer = gzip.decompress(t.extractfile(manifest["Layers"][0]).read())
    expect("the layer has the digest that is said", config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()])
    expect("it has less than 60 MB", os.path.getsize(path) < 60e6)
    runs_as_image(io.BytesIO(layer), config, work, seen)
    return others_read("docker-archive:" + path, seen)


def blob(t, entry):
    data = t.extractfile("blobs/" + entry["digest"].replace(":", "/")).read()
    expect("a blob has its digest and size", (hashlib.sha256(data).hexdigest(), len(data)) == (entry["digest"][7:], entry["size"]))
    return data


def check_images(path, work):
    """The layout with the images of all machines."""
    with tarfile.open(path) as t:
        index = json.loads(blob(t, json.load(t.extractfile("index.json"))["manifests"][0]))
        made = [entry["platform"]["architecture"] for entry in index["manifests"]]
        for entry in index["manifests"]:
            manifest = json.loads(blob(t, entry))
            expect("a configuration says its machine", json.loads(blob(t, manifest["config"]))["architecture"] == entry["platform"]["architecture"])
            blob(t, manifest["layers"][0])
    expect("there is one for each machine", made == ["amd64", "arm64"], made)
    seen = {"platforms": " and ".join(made)}
    if shutil.which("skopeo"):
        for machine in made:
            said = json.loads(run(["skopeo", "--override-arch", machine, "inspect", "--config", "oci-archive:" + path]))
            expect("skopeo finds that of a machine", said["architecture"] == machine, said)
        seen["skopeo"] = "finds each"
    return seen


def check_oci(path, work, of=MACHINE):
    seen = {}
    with tarfile.open(path) as t:
        manifest = json.loads(blob(t, json.load(t.extractfile("index.json"))["manifests"][0]))
        config, layer = json.loads(blob(t, manifest["config"])), gzip.decompress(blob(t, manifest["layers"][0]))
    expect("the configuration says the machine", config["architecture"] == of.debian, config["architecture"])
    expect("the layer has the digest that is said", config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()])
    runs_as_image(io.BytesIO(layer), config, work, seen)
    return others_read("oci-archive:" + path, seen)


def others_read(place, seen):
    if shutil.which("skopeo"):
        said = json.loads(run(["skopeo", "inspect", "--config", place]))
        expect("skopeo reads the image", said["config"]["ExposedPorts"] == {"8787/tcp": {}}, said)
        seen["skopeo"] = "reads it"
    return seen


# ---- another machine's ----

BINFMT = "/proc/sys/fs/binfmt_misc/"
MAGIC = {"aarch64": (r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
                     r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff")}


def emulated(of):
    """What is put before a program's words; it finds the system's libraries in the machine's root."""
    return [] if of is MACHINE else [of.emulator, "-L", of.root]


class Registered:
    """While it holds the kernel starts the other machine's programs by their emulator, in any root."""

    def __init__(self, of):
        self._entry, self._of = "sosia-" + of.name, of

    def __enter__(self):
        emulator = shutil.which(self._of.emulator)
        expect("there is an emulator", emulator, self._of.emulator)
        if not os.path.exists(BINFMT + "register"):
            run(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT])
        if not os.path.exists(BINFMT + self._entry):
            with open(BINFMT + "register", "w") as f:
                f.write(":%s:M::%s:%s:%s:F" % (self._entry, *MAGIC[self._of.name], emulator))

    def __exit__(self, *unused):
        with open(BINFMT + self._entry, "w") as f:
            f.write("-1")


CHECKS = {"archive": ("archive", check_archive), "wheel": ("wheel", check_wheel), "npm": ("npm", check_npm),
          "deb": ("deb", check_deb), "docker": ("image", check_docker), "oci": ("image", check_oci)}


class Report:
    def __init__(self, dist):
        self.dist, self.packages, self.failed = dist, [], 0

    def tried(self, kind, name, check, *more):
        path = os.path.join(self.dist, name)
        with tempfile.TemporaryDirectory(prefix="sosia-check.") as work:
            os.chmod(work, 0o755)
            try:
                seen = check(path, work, *more)
                print("ok     %s: %s" % (name, ", ".join("%s %s" % pair for pair in seen.items())), flush=True)
                self.packages.append({"kind": kind, "name": name, "size": os.path.getsize(path), "checks": seen})
            except (Failed, subprocess.TimeoutExpired, OSError) as error:
                self.failed += 1
                print("FAILED %s: %s" % (name, error), flush=True)


def main(dist, only, also=None):
    """also: another machine whose packages are in dist too."""
    report = Report(dist)
    wanted = {kind: check for kind, (which, check) in CHECKS.items() if kind in only or which in only}
    for kind, check in wanted.items():
        report.tried(kind, names()[kind], check)
    if also:
        with Registered(also):
            for kind, check in wanted.items():
                if kind != "deb":
                    report.tried("%s %s" % (kind, also.name), names(also)[kind], check, also)
        if "oci" in wanted:
            report.tried("images", names()["images"], check_images)
    if report.failed:
        print("%d failed; %s stays as it is" % (report.failed, os.path.relpath(RESULT, ROOT)))
        return 1
    if set(CHECKS) <= {entry["kind"] for entry in report.packages}:
        os.makedirs(os.path.dirname(RESULT), exist_ok=True)
        result = {"format": 1, "version": VERSION, "sources": sources_hash(), "packages": report.packages}
        with open(RESULT, "w", encoding="utf-8") as f:
            f.write(json.dumps(result, indent=2) + "\n")
        table.write(result)
    return 0
