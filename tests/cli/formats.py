# SPDX-License-Identifier: Apache-2.0
"""Documents looked at by their structure: each function raises AssertionError or ValueError where one is damaged, and gives
something of what is in it."""
import io
import re
import struct
import xml.dom.minidom
import zipfile
import zlib

OFFICE = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}


def archive(data):
    z = zipfile.ZipFile(io.BytesIO(data))
    assert z.testzip() is None
    assert len(set(z.namelist())) == len(z.namelist())
    return z


def office(data, kind):
    """The text of its parts; every relationship leads to a part, and no gap is left."""
    z = archive(data)
    names = set(z.namelist())
    assert {"[Content_Types].xml", "_rels/.rels", OFFICE[kind]} <= names, names
    texts = []
    for name in names:
        if not name.endswith((".xml", ".rels")):
            jpeg(z.read(name))
            continue
        text = z.read(name).decode()
        assert "%%" not in text, name
        if len(text) < 60000:
            xml.dom.minidom.parseString(text)
        texts.append(text)
        if name.endswith(".rels"):
            base = name.split("_rels/")[0].split("/")
            for target in re.findall(r'Target="([^"]+)"', text):
                path = base[:-1]
                for step in target.split("/"):
                    path = path[:-1] if step == ".." else path + [step]
                assert "http" in target or "/".join(path) in names, (name, target)
    return "".join(texts)


def pdf(data):
    """How many pages; every object is where the table says, every stream as long as it says."""
    assert data.startswith(b"%PDF-1.") and data.endswith(b"%%EOF\n")
    table = int(re.search(rb"startxref\n(\d+)\n", data[-60:]).group(1))
    head = re.match(rb"xref\n0 (\d+)\n", data[table:table + 30])
    rows = data[table + head.end():].split(b"\n")[1:int(head.group(1))]
    for number, row in enumerate(rows, 1):
        start = b"%d 0 obj\n" % number
        assert data[int(row[:10]):].startswith(start), number
    for facts in re.finditer(rb"/Length (\d+)[^>]*>>\nstream\n", data):
        end = facts.end() + int(facts.group(1))
        assert data[end:end + 10] == b"\nendstream", facts.group(0)
        if b"/FlateDecode" in data[facts.start() - 60:facts.start()]:
            zlib.decompress(data[facts.end():end])
    return int(re.search(rb"/Type/Pages/Count (\d+)", data).group(1))


def pdf_streams(data):
    """Of text, in their order, as they are shown."""
    for facts in re.finditer(rb"<<(/Filter/FlateDecode)?/Length (\d+)>>\nstream\n", data):
        stream = data[facts.end():facts.end() + int(facts.group(2))]
        yield zlib.decompress(stream) if facts.group(1) else stream


def png(data):
    """Width and height."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        chunks.append((kind, body))
        at += 12 + size
    assert [chunks[0][0], chunks[-1][0]] == [b"IHDR", b"IEND"]
    width, height, depth, colour = struct.unpack(">IIBB", chunks[0][1][:10])
    assert (depth, colour) == (8, 2)
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    assert len(pixels) == height * (width * 3 + 1)
    return width, height


def jpeg(data, decode=False):
    """Width and height; decode: every block is there, by the codes of the file's own tables."""
    assert data.startswith(b"\xff\xd8") and data.endswith(b"\xff\xd9")
    at, tables = 2, {}
    while True:
        marker, size = struct.unpack(">HH", data[at:at + 4])
        body = data[at + 4:at + 2 + size]
        at += 2 + size
        if marker == 0xffc0:
            height, width = struct.unpack(">HH", body[1:5])
        elif marker == 0xffc4:
            tables[body[0]] = huffman(body)
        elif marker == 0xffdd:
            interval = struct.unpack(">H", body)[0]
        elif marker == 0xffda:
            break
    rows = re.split(rb"\xff[\xd0-\xd7]", data[at:-2])
    marks = re.findall(rb"\xff([\xd0-\xd7])", data[at:-2])
    assert [m[0] - 0xd0 for m in marks] == [i % 8 for i in range(len(marks))]
    assert len(rows) == height // 8 and interval == width // 8
    if decode:
        for row in rows:
            blocks(row.replace(b"\xff\0", b"\xff"), tables[0], tables[0x10], 3 * interval)
    return width, height


def huffman(body):
    table, code, at = {}, 0, 17
    for n in range(1, 17):
        for _ in range(body[n]):
            table[(n, code)] = body[at]
            code, at = code + 1, at + 1
        code <<= 1
    assert at == len(body)
    return table


def blocks(row, dc, ac, n):
    """Reads n blocks, and nothing but ones to fill the last byte is left."""
    bits, at = bin(int.from_bytes(b"\1" + row, "big"))[3:], 0

    def symbol(table):
        nonlocal at
        code = 0
        for length in range(1, 17):
            code = code << 1 | (bits[at] == "1")
            at += 1
            if (length, code) in table:
                return table[(length, code)]
        raise ValueError("no such code")

    for _ in range(n):
        size = symbol(dc)
        at += size
        k = 1
        while k < 64:
            s = symbol(ac)
            if s == 0:
                break
            k += 16 if s == 0xf0 else (s >> 4) + 1
            at += s & 15
        assert k <= 64, k
    assert len(bits) - at < 8 and set(bits[at:]) <= {"1"}, bits[at:]
