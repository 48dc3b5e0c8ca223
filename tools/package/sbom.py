"""CycloneDX: what a package consists of, with versions, licences and digests."""
import datetime, hashlib, json, os, re, uuid

from project import ROOT, TEXT, VERSION, epoch


def licences(machine, package):
    """The short names of Debian's copyright file, where it is in the form that has them."""
    with open(machine.place("/usr/share/doc/%s/copyright" % package), encoding="utf-8", errors="replace") as f:
        names = sorted(set(re.findall(r"(?m)^License: *([A-Za-z0-9.+-]+(?: (?:or|and|with) [A-Za-z0-9.+ -]+)*)", f.read())))
    return [{"license": {"name": name}} for name in names] or [{"license": {"name": "see the package's copyright file"}}]


def sqlite():
    path = os.path.join(ROOT, "third_party/sqlite/sqlite3.c")
    if not os.path.exists(path):
        return []
    with open(path, "rb") as f:
        text = f.read()
    version = re.search(rb'#define SQLITE_VERSION +"([0-9.]+)"', text).group(1).decode()
    return [{"type": "library", "bom-ref": "sqlite", "name": "sqlite", "version": version, "purl": "pkg:generic/sqlite@" + version,
             "licenses": [{"license": {"name": "blessing"}}], "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(text).hexdigest()}]}]


def tzdata():
    with open("/usr/share/zoneinfo/tzdata.zi", encoding="utf-8") as f:
        version = re.search(r"version (\S+)", f.readline()).group(1)
    return [{"type": "data", "bom-ref": "tzdata", "name": "tzdata", "version": version, "purl": "pkg:generic/tzdata@" + version,
             "licenses": [{"license": {"name": "public-domain"}}]}]


def page(folder):
    """What the console's page is made of, as its build has listed it; nothing where there is no page."""
    for path in (os.path.join(ROOT, "console/web/built.json"), os.path.join(folder, "console/console_files.json")):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                return json.load(f)["packages"]
    return []


def page_parts(folder):
    return [{"type": "library", "bom-ref": "npm:" + p["name"], "name": p["name"], "version": p["version"],
             "purl": "pkg:npm/%s@%s" % (p["name"].replace("@", "%40"), p["version"]), "licenses": [{"license": {"name": p["licence"]}}]} for p in page(folder)]


def document(build, libs):
    """libs: name -> path, as they lie in the package."""
    parts = []
    for name in sorted(libs):
        path, package, version, source = build.components[name]
        with open(libs[name], "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()
        parts.append({"type": "library", "bom-ref": name, "name": name, "version": version,
                      "purl": "pkg:deb/debian/%s@%s?arch=%s&distro=bookworm" % (package, version.replace("+", "%2B").replace(":", "%3A"), build.machine.debian),
                      "licenses": licences(build.machine, package), "hashes": [{"alg": "SHA-256", "content": digest}],
                      "properties": [{"name": "debian:source", "value": source}]})
    parts += sqlite() + tzdata() + page_parts(build.folder)
    stamp = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = {"type": "application", "bom-ref": "sosia", "name": "sosia", "version": VERSION, "description": TEXT,
           "licenses": [{"license": {"id": "Apache-2.0"}}]}
    text = json.dumps({"components": parts}, sort_keys=True)
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                       "serialNumber": "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_URL, text),
                       "metadata": {"timestamp": stamp, "component": own}, "components": parts,
                       "dependencies": [{"ref": "sosia", "dependsOn": [part["bom-ref"] for part in parts]},
                                        *({"ref": part["bom-ref"], "dependsOn": []} for part in parts)]}, indent=1) + "\n"
