"""The image: a root with the command, its libraries and nothing else, as a layout of OCI and as an archive for `docker load`. Both
are of the same layer."""
import glob, hashlib, json, datetime

import bundle, kinds
from packing import Tree, gz, tar
from project import MACHINE, TEXT, VERSION, epoch

USER = 65532
PORT = 8787


def root(build):
    tree = Tree()
    libs = build.libraries("image-libs", [build.command])
    place, loader = "usr/lib/%s/" % build.machine.triplet, "lib64/" if build.machine.name == "x86_64" else "lib/"
    for name, path in libs.items():
        tree.copy((loader if name.startswith("ld-linux") else place) + name, path, 0o755)
    kinds.gconv(build, tree, place + "gconv/")
    tree.copy("usr/bin/sosia", build.own(build.command, "image/sosia"), 0o755)
    tree.add("etc/passwd", "root:x:0:0:root:/:/none\nsosia:x:%d:%d:sosia:/data:/none\n" % (USER, USER))
    tree.add("etc/group", "root:x:0:\nsosia:x:%d:\n" % USER)
    tree.add("etc/nsswitch.conf", "hosts: files dns\n")
    # Webhooks over HTTPS: Mozilla's authorities as Debian has them, none that this machine trusts besides.
    authorities = sorted(glob.glob("/usr/share/ca-certificates/mozilla/*.crt"))
    tree.add("etc/ssl/certs/ca-certificates.crt", b"".join(open(path, "rb").read() for path in authorities))
    build.licences(tree, "usr/share/doc/sosia/licenses/", libs)
    tree.folder("tmp", 0o1777)
    tree.folder("data", 0o700)  # for --data: a volume takes its owner from here
    return tar(tree, owners={"data": USER})


def config(layer, machine=MACHINE):
    stamp = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "created": stamp, "architecture": machine.debian, "os": "linux",
        "config": {
            "User": "%d:%d" % (USER, USER), "ExposedPorts": {"%d/tcp" % PORT: {}}, "Env": ["PATH=/usr/bin"], "WorkingDir": "/",
            "Entrypoint": ["/usr/bin/sosia", "serve", "--listen", "0.0.0.0", "--make-key"], "Cmd": ["--fixture", "office"],
            "Labels": {"org.opencontainers.image.title": "sosia", "org.opencontainers.image.version": VERSION,
                       "org.opencontainers.image.description": TEXT, "org.opencontainers.image.licenses": "Apache-2.0"},
            "StopSignal": "SIGTERM",
            # No part of OCI's format; Docker reads it all the same.
            "Healthcheck": {"Test": ["CMD", "/usr/bin/sosia", "health"], "Interval": 10 * 10**9, "Timeout": 5 * 10**9,
                            "StartPeriod": 5 * 10**9, "Retries": 3},
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": stamp, "created_by": "script/package"}],
    }


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def layout(images):
    """The images of several machines as one layout of OCI; images: (machine, configuration, packed layer)."""
    oci, entries = Tree(), []

    def blob(data, kind):
        name = hashlib.sha256(data).hexdigest()
        if "blobs/sha256/" + name not in oci.files:
            oci.add("blobs/sha256/" + name, data)
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + name, "size": len(data)}

    for machine, about, packed in images:
        manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                    "config": blob(about, "config.v1+json"), "layers": [blob(packed, "layer.v1.tar+gzip")]}
        entries.append({**blob(compact(manifest), "manifest.v1+json"), "platform": {"architecture": machine.debian, "os": "linux"}})
    name = {"annotations": {"org.opencontainers.image.ref.name": VERSION}}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json"}
    if len(entries) > 1:  # under one name, from which a runtime takes that of its machine
        entries = [blob(compact({**index, "manifests": entries}), "index.v1+json")]
    oci.add("index.json", compact({**index, "manifests": [{**entries[0], **name}]}))
    oci.add("oci-layout", compact({"imageLayoutVersion": "1.0.0"}))
    return tar(oci)


def make(build):
    """(docker archive, OCI layout as an archive, what layout() takes)"""
    layer = root(build)
    packed = gz(layer)  # within the archive, since not every program reads an archive that is packed as a whole
    about = compact(config(layer, build.machine))
    digest = hashlib.sha256(about).hexdigest()
    docker = Tree()
    docker.add("manifest.json", compact([{"Config": digest + ".json", "RepoTags": ["sosia:" + VERSION], "Layers": ["layer.tar"]}]))
    docker.add(digest + ".json", about)
    docker.add("layer.tar", packed)
    parts = (build.machine, about, packed)
    return tar(docker), layout([parts]), parts
