# SPDX-License-Identifier: Apache-2.0
"""What a command of `sosia run` can do, and what it tries in vain."""
import ctypes
import json
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import harness

NOBODY = 65534
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else os.path.realpath(sys.executable)
CALENDARS = "https://www.googleapis.com/calendar/v3/users/me/calendarList"
CONNECT = """
    import socket, sys
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(sys.argv[1])
        print("reached")
    except OSError as e:
        print("refused")
"""


def children(pid):
    """The processes below one, outermost first."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as f:
                    parents[int(name)] = int(f.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    found = [pid]
    for p in found:
        found += sorted(c for c, parent in parents.items() if parent == p)
    return found[1:]


def words_of(pid):
    """The command line of a process; empty when it has ended."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read().split(b"\0")
    except OSError:
        return [b""]


def wait_until(condition, what):
    end = time.monotonic() + harness.PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain: " + what)
        time.sleep(0.01)


def ended(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


class Run:
    """The tests, for the user that a class names."""

    user = None  # a number; None: the user of the tests

    def setUp(self):
        # Not below /tmp, which is private for the command anyway.
        self.base = tempfile.mkdtemp(dir=os.getcwd())
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        self.home, self.work, self.other = (os.path.join(self.base, n) for n in ("home", "work", "other"))
        for path in self.base, self.home, self.work, self.other:
            os.makedirs(path, exist_ok=True)
            os.chmod(path, 0o755)
            self.give(path)

    def give(self, path):
        if self.user is not None:
            os.chown(path, self.user, self.user)

    def line(self, *words):
        prefix = [] if self.user is None else ["setpriv", "--reuid=%d" % self.user, "--regid=%d" % self.user,
                                               "--clear-groups"]
        return [*prefix, *words]

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
        return {**clean, "HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                "PYTHONDONTWRITEBYTECODE": "1", **more}

    def run_in(self, *command, options=(), env=None, cwd=None, **more):
        return subprocess.run(self.line(harness.SOSIA, "run", "--fixture", "small", *options, "--", *command),
                              capture_output=True, text=True, timeout=harness.PATIENCE, cwd=cwd or self.work,
                              env=self.environment(**(env or {})), check=False, stdin=subprocess.DEVNULL, **more)

    def output(self, *command, **more):
        done = self.run_in(*command, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def python(self, text, *arguments, **more):
        return self.output(PYTHON, "-c", textwrap.dedent(text), *arguments, **more)

    def start(self, *command, **more):
        """A run that goes on; its command prints a line when it is there."""
        process = subprocess.Popen(
            self.line(harness.SOSIA, "run", "--fixture", "small", "--", *command), cwd=self.work, text=True,
            env=self.environment(TMPDIR=self.other), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            **more)
        self.addCleanup(process.communicate)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.assertEqual(process.stdout.readline(), "here\n", "the command did not start")
        return process

    # ---- what works

    def test_the_vendors_hosts_are_a_server_of_its_own(self):
        out = self.output("sh", "-c", 'curl -sS -H "Authorization: Bearer $SOSIA_TOKEN" ' + CALENDARS)
        self.assertEqual(json.loads(out)["items"][0]["id"], "ada@small.example")
        done = self.run_in("curl", "-sS", "https://example.com/")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("resolve host", done.stderr)

    def test_the_web_of_the_world_is_served_by_its_hosts(self):
        seed = os.path.join(self.work, "web.json")
        with open(seed, "w", encoding="utf-8") as f:
            json.dump({"sosia": 1, "people": [{"email": "ada@small.example", "name": "Ada"}], "webPages": [
                {"url": "https://shop.example/", "text": "<p>Lamps</p>"},
                {"url": "http://shop.example/old", "status": 301, "location": "/"},
                {"url": "https://forms.example/order", "text": "Thanks", "takes": True}]}, f)
        policy = os.path.join(self.work, "policy.yaml")
        with open(policy, "w", encoding="utf-8") as f:
            f.write("policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, call: {method: web.send}}]\n")
        out = self.output("sh", "-c", """
            curl -sSL https://shop.example/old http://shop.example/
            curl -sS -d lamp=1 https://forms.example/order
            curl -sS -o /dev/null -w ' %{http_code} ' https://shop.example/none?d=secret
            curl -sS --resolve other.example:443:127.0.0.1 https://other.example/
            curl -sS -X POST -H "Authorization: Bearer $SOSIA_CONTROL_KEY" -H 'Content-Type: application/yaml' \
                --data-binary @policy.yaml -o /dev/null "$SOSIA_URL/_sosia/v1/worlds/$SOSIA_WORLD/policies"
            curl -sS -o /dev/null -w '%{http_code}' -d lamp=2 https://forms.example/order
            curl -sS -H "Authorization: Bearer $SOSIA_CONTROL_KEY" \
                "$SOSIA_URL/_sosia/v1/worlds/$SOSIA_WORLD/journal" >journal.json
        """, options=("--fixture", seed, "--with-control"))
        self.assertEqual(out, "<p>Lamps</p><p>Lamps</p>Thanks 404 The web of this world has no such host.\n403")
        with open(os.path.join(self.work, "journal.json"), encoding="utf-8") as f:
            journal = f.read()
        for address in "shop.example/old", "forms.example/order", "shop.example/none?d=secret", "other.example/":
            self.assertIn("/web/v1/pages/" + address, journal)

    def test_hosts_beyond_the_world_are_reached_by_name_alone(self):
        """In namespaces, with another machine beside this one that has a public address and a private one."""
        with open(os.path.join(self.work, "hosts"), "w", encoding="utf-8") as f:
            f.write("127.0.0.1 localhost inside.example\n93.184.216.34 shown.example denied.example tried.example asked.example echo.example\n"
                    "93.184.216.1 own.example\n10.0.0.9 office.example\n")
        with open(os.path.join(self.work, "page"), "w", encoding="utf-8") as f:
            f.write("beyond")
        with open(os.path.join(self.work, "policy.yaml"), "w", encoding="utf-8") as f:
            f.write("policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, call: {method: web.connect, arguments: "
                    "{address: {starts_with: denied.example}}}}, {effect: dryRun, call: {method: web.connect, arguments: "
                    "{address: {starts_with: tried.example}}}}, {effect: approve, call: {method: web.connect, arguments: "
                    "{address: {starts_with: asked.example}}}}]\n")
        with open(os.path.join(self.work, "echo.py"), "w", encoding="utf-8") as f:
            f.write(textwrap.dedent("""\
                import socket
                s = socket.create_server(("", 8001))
                while True:
                    c = s.accept()[0]
                    while data := c.recv(65536):
                        c.sendall(data * 4)
                    c.close()
                """))
        with open(os.path.join(self.work, "talk.py"), "w", encoding="utf-8") as f:
            f.write(textwrap.dedent("""\
                import socket, threading
                SIZE = 16 << 20
                def give():
                    for i in range(SIZE >> 16):
                        c.sendall(bytes([i % 251]) * 65536)
                    c.shutdown(socket.SHUT_WR)
                c = socket.create_connection(("echo.example", 8001))
                c.settimeout(60)
                threading.Thread(target=give, daemon=True).start()
                got = 0
                while data := c.recv(1 << 20):
                    got += len(data)
                print("whole" if got == 4 * SIZE else got)
                """))
        with open(os.path.join(self.work, "command"), "w", encoding="utf-8") as f:
            f.write("""
                curl -sS -m 30 http://shown.example:8000/page; echo
                for host in denied inside office own other; do
                    curl -sS -m 30 -o /dev/null http://$host.example:8000/page 2>/dev/null && echo $host
                done
                %s talk.py
                rule() { curl -sS -X POST -H "Authorization: Bearer $SOSIA_CONTROL_KEY" -H 'Content-Type: application/yaml' \\
                    --data-binary @policy.yaml -o /dev/null "$SOSIA_URL/_sosia/v1/worlds/$SOSIA_WORLD/policies"; }
                curl -sS -m 30 http://denied.example:8000/page; echo; rule
                for host in denied tried asked; do
                    curl -sS -m 30 http://$host.example:8000/page 2>/dev/null || echo refused
                done
                held="$SOSIA_URL/_sosia/v1/worlds/$SOSIA_WORLD/approvals"
                name=$(curl -sS -H "Authorization: Bearer $SOSIA_CONTROL_KEY" "$held" | grep -o 'act_[0-9a-z]*' | head -n 1)
                curl -sS -X POST -H "Authorization: Bearer $SOSIA_CONTROL_KEY" -H 'Content-Type: application/json' \\
                    -d '{"decision": "approve", "by": "marta"}' -o /dev/null "$held/$name"
                curl -sS -m 30 http://asked.example:8000/page; echo
                curl -sS -H "Authorization: Bearer $SOSIA_CONTROL_KEY" "$SOSIA_URL/_sosia/v1/worlds/$SOSIA_WORLD/journal" >journal.json
            """ % PYTHON)
        inner = """
            ip link set lo up || exit 77
            unshare -n sleep 600 >/dev/null 2>&1 & other=$!
            while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.1; done
            ip link add v0 type veth peer name v1 && ip link set v1 netns $other || exit 77
            ip addr add 93.184.216.1/24 dev v0 && ip link set v0 up && ip route add 10.0.0.9/32 dev v0 || exit 77
            at() { nsenter -t $other -n "$@"; }
            at ip link set lo up; at ip addr add 93.184.216.34/24 dev v1; at ip addr add 10.0.0.9/32 dev v1; at ip link set v1 up
            mount --bind hosts /etc/hosts || exit 77
            PY -m http.server 8000 >/dev/null 2>&1 & own=$!
            nsenter -t $other -n PY -m http.server 8000 >/dev/null 2>&1 & there=$!
            nsenter -t $other -n PY echo.py >/dev/null 2>&1 & echoes=$!
            for name in shown own office; do
                for i in $(seq 100); do curl -s -o /dev/null http://$name.example:8000/page && break; sleep 0.1; done
            done
            SOSIA run --fixture small --with-control --egress shown.example:8000 --egress denied.example:8000 \\
                --egress inside.example:8000 --egress office.example:8000 --egress own.example:8000 \\
                --egress tried.example:8000 --egress asked.example:8000 --egress echo.example:8001 -- sh command
            code=$?; kill $own $there $echoes $other; exit $code
        """.replace("PY", PYTHON).replace("SOSIA run", harness.SOSIA + " run")
        done = subprocess.run(self.line("unshare", "-Urnm", "sh", "-c", inner), cwd=self.work, text=True, check=False,
                              capture_output=True, env=self.environment(), timeout=harness.PATIENCE)
        if done.returncode in (1, 77) and not done.stdout:
            self.skipTest("no namespaces: " + done.stderr)
        self.assertEqual((done.returncode, done.stdout), (0, "beyond\ndenied\nwhole\nbeyond\nrefused\nrefused\nrefused\nbeyond\n"), done.stderr)
        with open(os.path.join(self.work, "journal.json"), encoding="utf-8") as f:
            journal = f.read()
        for host in "shown.example", "denied.example", "inside.example", "office.example", "own.example":
            self.assertIn("/web/v1/connect/%s:8000" % host, journal)

    def test_the_exit_status_is_the_commands(self):
        self.assertEqual(self.run_in("sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(self.run_in("sh", "-c", "kill -9 $$").returncode, 137)
        done = self.run_in("no-such-command")
        self.assertEqual(done.returncode, 127)
        self.assertIn("no-such-command", done.stderr)
        self.assertEqual(self.run_in("/etc/passwd").returncode, 126)

    def test_a_signal_reaches_the_command(self):
        process = self.start("sh", "-c", "trap 'echo told; exit 5' TERM; echo here; while :; do sleep 0.1; done")
        children_of = children(process.pid)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.communicate(timeout=harness.PATIENCE)[0], "told\n")
        self.assertEqual(process.returncode, 5)
        wait_until(lambda: all(map(ended, children_of)), "the end of all processes")
        process = self.start("sh", "-c", "trap 'echo told; exit 6' USR1; echo here; while :; do sleep 0.1; done")
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.communicate(timeout=harness.PATIENCE)[0], "told\n")
        self.assertEqual(process.returncode, 6)

    def test_options_of_the_server_are_its_own_to_refuse(self):
        for options in ("--nonsense",), ("extra",), ("--clock", "soon"), ("--with-control=no",), ("--weak=1",):
            done = self.run_in("true", options=options)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (options, done.stderr))
            self.assertNotEqual(done.stderr, "")
        self.assertEqual(self.run_in("true", options=("--world", "two words")).returncode, 1)
        for word in "--help", "-h":
            done = self.run_in("true", options=(word,))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith("usage: sosia run"))
        # The command trusts this authority and no other, and expects it at this port.
        ask = 'curl -sS -o /dev/null -w "%{http_code}" -H "Authorization: Bearer $SOSIA_TOKEN" ' + CALENDARS
        self.assertEqual(self.output("sh", "-c", ask, options=("--ca", "/nowhere", "--https-port", "8443")), "200")

    def test_a_data_directory_is_the_servers_and_not_the_commands(self):
        data = os.path.join(self.other, "data")
        self.output("touch", data + "/mine", options=("--data", data))
        self.assertIn("sosia.db", os.listdir(data))
        self.assertNotIn("mine", os.listdir(data))
        # Not even where the command may write: the secret that signs tokens is in it.
        for options in ("--data", "state"), ("--data=" + self.work + "/state",), ("--dat", "state"), ("--d=state",):
            self.assertEqual(self.output("ls", "-A", ".", "state", options=options), ".:\nstate\n\nstate:\n")
            self.assertTrue(os.listdir(self.work + "/state"))

    # ---- files

    def test_the_system_is_read_only_and_the_working_directory_is_not(self):
        out = self.python("""
            import os, sys
            for path in "/etc", "/usr", "/", "/var", sys.argv[1], os.path.dirname(os.getcwd()):
                try:
                    open(path + "/sosia-was-here", "w")
                    print(path)
                except OSError:
                    pass
            for path in ".", "/tmp", "/var/tmp", "/run", "/dev/shm", os.environ["HOME"]:
                open(path + "/sosia-was-here", "w").write("x")
        """, self.other)
        # Where the tests are below a directory that is private, so is what it wrote there.
        for path in out.split():
            self.assertTrue(path.startswith(("/tmp/", "/var/tmp/", os.path.expanduser("~") + "/")), path)
        self.assertEqual(os.listdir(self.work), ["sosia-was-here"])
        for path in "/tmp", "/var/tmp", "/run", "/dev/shm", self.home, *out.split():
            self.assertFalse(os.path.exists(path + "/sosia-was-here"), path)

    def test_the_home_directory_is_private_but_for_what_is_named(self):
        for name in "hidden", "shown", "allowed":
            os.mkdir(os.path.join(self.home, name))
            self.give(os.path.join(self.home, name))
        shown, allowed = os.path.join(self.home, "shown"), os.path.join(self.home, "allowed")
        self.assertEqual(self.output("ls", "-A", self.home), "")
        out = self.output("sh", "-c", 'ls -A ~; touch ~/allowed/x; touch ~/shown/x 2>/dev/null || echo no',
                          options=("--show", shown, "--allow=" + allowed))
        self.assertEqual(out, "allowed\nshown\nno\n")
        self.assertEqual((os.listdir(shown), os.listdir(allowed)), ([], ["x"]))
        self.assertEqual(self.output("sh", "-c", "touch ~/y; ls -A ~", options=("--allow", self.home)),
                         "allowed\nhidden\nshown\ny\n")

    def test_a_working_directory_in_the_home_directory_is_shown(self):
        inside = os.path.join(self.home, "deep", "project")
        os.makedirs(inside)
        self.give(inside)
        self.assertEqual(self.output("sh", "-c", "touch x; ls -A ~ ~/deep; pwd", cwd=inside),
                         "%s:\ndeep\n\n%s/deep:\nproject\n%s\n" % (self.home, self.home, inside))
        self.assertEqual(os.listdir(inside), ["x"])

    def test_a_private_working_directory_is_refused(self):
        for path in self.home, "/tmp":
            done = self.run_in("true", cwd=path)
            self.assertEqual(done.returncode, 1)
            self.assertIn('the working directory must not be a private one, is "%s"' % path, done.stderr)

    def test_paths_that_are_not_there_are_named(self):
        for option in "--allow", "--show":
            done = self.run_in("true", options=(option, "/no/such"))
            self.assertEqual(done.returncode, 2)
            self.assertIn('%s must be a path that there is, not "/no/such"' % option, done.stderr)
            self.assertEqual(self.run_in("true", options=(option, "/")).returncode, 2)
            self.assertEqual(self.run_in("true", options=(option,)).returncode, 2)
        done = self.run_in("true", options=("--data", "/dev/null"))
        self.assertEqual((done.returncode, done.stderr), (2, 'sosia run: --data must be a directory, not "/dev/null"\n'))

    # ---- sockets, networks, shared memory

    def listen(self, path):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()
        if path[0] != "\0":
            os.chmod(path, 0o777)
        return path

    def test_unix_sockets_outside_are_not_reached(self):
        where = tempfile.mkdtemp(dir="/tmp")
        self.addCleanup(shutil.rmtree, where)
        os.chmod(where, 0o755)
        paths = [self.listen(d + "/socket") for d in (where, self.home, self.work, self.other)]
        name = self.listen("\0" + os.path.basename(self.base))
        if self.user is None:  # else the working directory of these tests can't be seen
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(self.other)
            self.listen("relative")
            paths.append(self.other + "/relative")
        for path in paths:
            self.assertEqual(self.python(CONNECT, path), "refused\n", path)
        text = CONNECT.replace("sys.argv[1]", '"\\0" + sys.argv[1]')
        self.assertEqual(self.python(text, name[1:]), "refused\n")
        for path in paths:  # it is there, and to be named by its own path
            self.assertEqual(self.python(CONNECT, path, options=("--allow", path)), "reached\n", path)

    def test_loopback_outside_is_not_reached(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            done = self.run_in("curl", "-sS", "http://127.0.0.1:%d/" % listener.getsockname()[1])
            self.assertEqual(done.returncode, 7, done.stderr)

    def test_kinds_of_sockets_that_belong_to_no_network_namespace_are_refused(self):
        out = self.python("""
            import errno, socket
            for family in range(64):
                try:
                    socket.socket(family, socket.SOCK_RAW if family == socket.AF_NETLINK else socket.SOCK_STREAM)
                    print(family)
                except OSError as e:
                    if e.errno != errno.EAFNOSUPPORT:
                        print(family, e)
        """)
        self.assertEqual(out, "1\n2\n10\n16\n")

    def test_shared_memory_outside_is_not_reached(self):
        libc = ctypes.CDLL(None, use_errno=True)
        key = int.from_bytes(os.urandom(3), "big") + 1
        segment = libc.shmget(key, 4096, 0o1777)
        self.assertGreaterEqual(segment, 0)
        self.addCleanup(libc.shmctl, segment, 0, None)
        text = "import ctypes, sys; print(ctypes.CDLL(None).shmget(int(sys.argv[1]), 0, 0))"
        self.assertEqual(self.python(text, str(key)), "-1\n")

    def test_descriptors_of_the_caller_are_not_handed_on(self):
        with open(self.other + "/secret", "w", encoding="utf-8") as f:
            out = self.output("ls", "/proc/self/fd", pass_fds=(f.fileno(),))
        self.assertEqual(out.split(), ["0", "1", "2", "3"])  # the last is the directory's own

    # ---- processes and privileges

    def test_processes_outside_are_neither_seen_nor_signalled(self):
        victim = subprocess.Popen(self.line("sleep", "1000"))
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        out = self.python("""
            import os, signal, sys
            print([p for p in os.listdir("/proc") if p.isdigit() and int(p) > 9])
            for pid in int(sys.argv[1]), -1:
                try:
                    os.kill(pid, signal.SIGKILL)
                    print("killed", pid)
                except OSError:
                    pass
        """, str(victim.pid))
        self.assertEqual(out, "[]\n")
        self.assertIsNone(victim.poll())

    def test_there_is_no_way_into_other_namespaces(self):
        out = self.python("""
            import ctypes, os, subprocess
            libc = ctypes.CDLL(None, use_errno=True)
            for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
                if int(pid) not in (os.getpid(), 1):
                    print("sees", pid)
            for kind in "user", "mnt", "pid", "net", "ipc", "uts":
                for pid in "1", "self":
                    try:
                        fd = os.open("/proc/%s/ns/%s" % (pid, kind), os.O_RDONLY)
                    except OSError:
                        continue
                    if libc.setns(fd, 0) == 0:
                        print("entered", pid, kind)
            for words in (["nsenter", "-t", "1", "-a", "true"], ["umount", "/tmp"], ["umount", "-l", "/proc/sys"],
                          ["mount", "-o", "remount,rw", "/"], ["mount", "-t", "tmpfs", "x", "/mnt"], ["hostname", "other"],
                          ["unshare", "-Urm", "umount", "/tmp"], ["unshare", "-Urm", "umount", "-l", "/proc/sys"],
                          ["unshare", "-Urm", "mount", "-o", "remount,rw,bind", "/usr"],
                          ["unshare", "-Urmpf", "mount", "-t", "proc", "p", "/proc"],
                          ["chroot", "/proc/1/root", "true"]):
                if subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0:
                    print(words)
        """)
        self.assertEqual(out, "")

    def test_privileges_are_dropped_and_none_can_be_gained(self):
        status = dict(line.split(":\t") for line in self.output("cat", "/proc/self/status").splitlines() if ":\t" in line)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        # Of root: over files of other users, and to become one of them.
        expected = 0xfb if self.user is None and os.geteuid() == 0 else 0
        for name in "CapPrm", "CapEff", "CapBnd":
            self.assertEqual(int(status[name], 16), expected, name)
        self.assertEqual(int(status["CapInh"], 16) | int(status["CapAmb"], 16), 0)

    def test_what_root_owns_in_proc_and_dev_is_not_writable(self):
        out = self.python("""
            import os, stat
            for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness", "/proc/sysrq-trigger", "/proc/irq",
                         "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs"):
                try:
                    os.close(os.open(path, os.O_WRONLY))
                    print(path)
                except OSError:
                    pass
            for folder in ".", "/tmp", "/dev":
                try:
                    os.mknod(folder + "/node", stat.S_IFBLK | 0o600, os.makedev(8, 0))
                    print(folder)
                except OSError:
                    pass
            print(sorted(n for n in os.listdir("/dev") if stat.S_ISBLK(os.stat("/dev/" + n).st_mode)))
        """)
        self.assertEqual(out, "[]\n")

    def test_nothing_is_typed_into_the_callers_terminal(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        done = subprocess.run(
            self.line(harness.SOSIA, "run", "--", PYTHON, "-c", textwrap.dedent("""
                import errno, fcntl, termios
                fcntl.ioctl(0, termios.TIOCGWINSZ, b"01234567")
                for request in termios.TIOCSTI, 0x541c:  # and TIOCLINUX
                    try:
                        fcntl.ioctl(0, request, b"x")
                        print("typed")
                    except OSError as e:
                        print(errno.errorcode[e.errno])
            """)), stdin=theirs, capture_output=True, text=True, cwd=self.work, env=self.environment(), check=False,
            timeout=harness.PATIENCE, preexec_fn=lambda: (os.setsid(), os.close(os.open(os.ttyname(theirs), os.O_RDWR))))
        self.addCleanup(os.close, theirs)
        self.assertEqual(done.stdout, "EPERM\nEPERM\n", done.stderr)
        self.assertFalse(select.select([ours], [], [], 0)[0])

    # ---- keys

    def test_the_control_key_is_handed_over_only_when_asked_for(self):
        look = """
            import glob, os
            print(os.environ.get("SOSIA_CONTROL_KEY"))
            for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
                try:
                    if b"key-of-" + b"the-caller" in open(path, "rb").read():
                        print(path)
                except OSError:
                    pass
            try:
                open("/proc/1/mem", "rb")
                print("memory")
            except OSError:
                pass
        """
        key = "key-of-the-caller-0123456789"
        self.assertEqual(self.python(look, env={"SOSIA_CONTROL_KEY": key}), "None\n")
        self.assertEqual(self.python(look, options=("--key", key)), "None\n")
        self.assertEqual(self.python(look, options=("--key=" + key,)), "None\n")
        self.assertEqual(self.python("import os; print(os.environ.get('SOSIA_CONTROL_KEY'))"), "None\n")
        ask = 'curl -sS -o /dev/null -w "%%{http_code}" -H "Authorization: Bearer %s" $SOSIA_URL/_sosia/v1/worlds'
        self.assertEqual(self.output("sh", "-c", ask % "$SOSIA_TOKEN"), "403")
        self.assertEqual(self.output("sh", "-c", ask % "$SOSIA_CONTROL_KEY", options=("--with-control",)), "200")

    def test_credentials_are_given_to_whom_they_are_asked_for(self):
        names = "env | sed -n 's/^\\(SOSIA_[A-Z_]*\\)=.*/\\1/p' | sort | tr '\\n' ' '"
        always = "SOSIA_ACTOR SOSIA_TOKEN SOSIA_URL SOSIA_WORLD "
        self.assertEqual(self.output("sh", "-c", names, options=("--fixture", "office")), always)
        self.assertEqual(self.output("sh", "-c", names, options=("--fixture", "office", "--credentials", "slack")),
                         "SOSIA_ACTOR SOSIA_SLACK_APP SOSIA_SLACK_BOT SOSIA_SLACK_CONFIG SOSIA_SLACK_CONFIG_REFRESH "
                         "SOSIA_SLACK_SIGNING_SECRET SOSIA_SLACK_USER SOSIA_TOKEN SOSIA_URL SOSIA_WORLD ")
        self.assertIn("SOSIA_GOOGLE ", self.output("sh", "-c", names, options=("--credentials=google",)))
        self.assertIn('"bot_id":"B0ASSIST001"', self.output(
            "sh", "-c", 'curl -sS -H "Authorization: Bearer $SOSIA_SLACK_BOT" https://slack.com/api/auth.test',
            options=("--fixture", "office", "--credentials", "slack")))
        ask = 'curl -sS -H "Authorization: Bearer $SOSIA_SLACK_USER" https://%s.slack.com/api/auth.test'
        self.assertIn('"url":"https://tidewater.slack.com/"', self.output(
            "sh", "-c", ask % "tidewater", options=("--fixture", "office", "--credentials", "slack")))
        done = self.run_in("sh", "-c", ask % "elsewhere", options=("--fixture", "office", "--credentials", "slack"))
        self.assertEqual(done.returncode, 6, done.stderr)  # a name that is nobody's
        for kind in "teams", "slac", "":
            done = harness.command("run", "--fixture", "office", "--credentials", kind, "--", "true")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn('--credentials must be a kind that the first person has, such as google, microsoft or slack, not "%s"' % kind, done.stderr)

    def test_the_authoritys_key_is_nowhere(self):
        # Where nobody writes at run time, which is most of a disk, nothing can have been left.
        script = r"find / -xdev \( -path /usr -o -path '%s' \) -prune -o -name ca.key -newer . -print 2>/dev/null; ls /run/sosia"
        out = self.output("sh", "-c", script % os.path.abspath(os.path.join(os.path.dirname(__file__), "../..")))
        self.assertEqual(out, "bundle.crt\nca.crt\nhosts\nnsswitch.conf\n")

    # ---- ends

    def test_what_the_command_leaves_running_ends_with_it(self):
        process = self.start("sh", "-c", "setsid sleep 1000 & echo here; until [ -e go ]; do sleep 0.05; done")
        wait_until(lambda: any(b"1000" in words_of(p) for p in children(process.pid)), "the start of what is left running")
        below = children(process.pid)
        open(os.path.join(self.work, "go"), "w", encoding="utf-8").close()
        self.assertEqual(process.wait(harness.PATIENCE), 0)
        wait_until(lambda: all(map(ended, below)), "the end of all processes")

    def test_killing_any_part_leaves_nothing_behind(self):
        # The keeper, its server, the command's first process, the command itself.
        for part, expected in enumerate((-signal.SIGKILL, 1, 137, 137)):
            process = self.start("sh", "-c", "setsid sleep 1000 & echo here; sleep 1000 & wait")
            wait_until(lambda: len(children(process.pid)) == 5, "the start of all processes")
            below = children(process.pid)
            server = next(p for p in below if b"serve" in words_of(p))
            first = next(p for p in below[:2] if p != server)
            command = next(p for p in below[2:] if words_of(p)[0] == b"sh")
            os.kill((process.pid, server, first, command)[part], signal.SIGKILL)
            _, err = process.communicate(timeout=harness.PATIENCE)
            self.assertEqual(process.returncode, expected, err)
            self.assertEqual("the server must outlive the command, has ended with signal 9" in err, part == 1, err)
            wait_until(lambda: all(map(ended, below)), "the end of all processes")
        self.assertEqual(os.listdir(self.other), [])
        self.assertFalse([n for n in os.listdir("/tmp") if n.startswith("sosia-run")])


class AsWhoeverTests(Run, unittest.TestCase):
    pass


def nobody_can():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return False
    return subprocess.run(["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups", harness.SOSIA, "version"],
                          capture_output=True, check=False).returncode == 0


@unittest.skipUnless(harness.FULL and nobody_can(), "as somebody else once more: only root can, and only in a full run")
class AsNobody(Run, unittest.TestCase):
    user = NOBODY


def namespaces():
    return subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode == 0


@unittest.skipUnless(namespaces(), "needs user namespaces to take things away in")
class Machines(unittest.TestCase):
    """Machines that lack something: made by limits of a user namespace."""

    def lacking(self, without, *options, command=("echo", "it runs")):
        # What is mounted over a part of /proc counts where it can't be unmounted: in a namespace below.
        below = "unshare -Urm" if "mount" in without else ""
        with tempfile.TemporaryDirectory() as work:
            return subprocess.run(
                ["unshare", "-Urm", "sh", "-c", '%s && exec %s "$@"' % (without, below), "sh", harness.SOSIA, "run", *options,
                 "--", *command], capture_output=True, text=True, cwd=work, check=False, timeout=harness.PATIENCE,
                env={**os.environ, "HOME": "/nonexistent"}, stdin=subprocess.DEVNULL)

    def test_what_is_missing_is_named_and_weak_goes_on_without(self):
        for without, name in (("echo 0 >/proc/sys/user/max_user_namespaces", "user namespaces"),
                              ("echo 0 >/proc/sys/user/max_pid_namespaces", "PID namespaces"),
                              ("echo 0 >/proc/sys/user/max_ipc_namespaces", "IPC namespaces"),
                              ("echo 0 >/proc/sys/user/max_uts_namespaces", "UTS namespaces"),
                              ("mount -t tmpfs none /proc/bus", "a /proc of its own")):
            done = self.lacking(without)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("sosia run: this machine must allow %s, refuses: " % name, done.stderr)
            self.assertIn("--weak runs the command without what is missing", done.stderr)
            done = self.lacking(without, "--weak")
            self.assertEqual((done.returncode, done.stdout), (0, "it runs\n"), done.stderr)
            self.assertIn("this machine must allow %s, refuses: " % name, done.stderr)

    def test_weak_is_not_enough_where_hosts_cant_be_redirected(self):
        for kind, name in ("net", "network namespaces"), ("mnt", "mount namespaces"):
            done = self.lacking("echo 0 >/proc/sys/user/max_%s_namespaces" % kind, "--weak")
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("this machine must allow " + name, done.stderr)
            self.assertIn("--weak is not enough here", done.stderr)

    def test_it_starts_itself_by_its_launcher_under_a_loader_of_its_own(self):
        loader = subprocess.run(["sh", "-c", "readelf -l %s | sed -n 's/.*interpreter: \\(.*\\)]/\\1/p'" % harness.SOSIA],
                                capture_output=True, text=True, check=True).stdout.strip()
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as directory:
            launcher = directory + "/sosia"
            with open(launcher, "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\nSOSIA_LAUNCHER=%s exec %s --argv0 sosia %s "$@"\n' % (launcher, loader, harness.SOSIA))
            os.chmod(launcher, 0o755)
            clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
            words = ["run", "--fixture", "small", "--", "echo", "it runs"]
            done = subprocess.run([launcher, *words], capture_output=True, text=True, check=False, timeout=harness.PATIENCE,
                                  env=clean, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (0, "it runs\n"), done.stderr)
            # Without its word the loader is started in the place of sosia.
            done = subprocess.run([loader, harness.SOSIA, *words], capture_output=True, text=True, check=False,
                                  timeout=harness.PATIENCE, env=clean, stdin=subprocess.DEVNULL)
            self.assertNotEqual(done.returncode, 0)

    def test_nothing_is_said_where_nothing_is_missing(self):
        done = self.lacking("true")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "it runs\n", ""))

    def test_the_help_says_what_is_not_kept_out(self):
        done = harness.command("run", "--help")
        self.assertEqual(done.returncode, 0)
        for words in "What is not kept out", "--allow PATH", "--show PATH", "--with-control", "--credentials KIND", "--weak", "named pipes":
            self.assertIn(words, done.stdout)

    def test_a_command_must_be_behind_two_dashes(self):
        for words in (), ("--fixture", "small"), ("--",), ("true",):
            done = harness.command("run", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr.startswith('sosia run: missing command after "--"\nusage:'), done.stderr)


if __name__ == "__main__":
    unittest.main()
