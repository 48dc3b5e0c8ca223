// SPDX-License-Identifier: Apache-2.0
// The text of Office files (docx, xlsx, pptx): an archive of XML, of which only what is text is read.
// No element is made of it, nothing in it is followed, and what it unpacks to has a bound.
import { unescapeHtml } from '../shared/text';

const MOST = 8 << 20; // bytes of one part of the archive when unpacked
const PARTS = 200;

interface Entry {
  name: string;
  method: number;
  packed: Uint8Array;
  size: number;
}

/** What is in a ZIP archive, by its directory; throws where it is none. */
export function entriesOf(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - 65558 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) throw new Error('This is no Office file: the end of the archive is missing.');
  const found: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let n = view.getUint16(end + 10, true); n > 0 && at + 46 <= bytes.length; n--) {
    if (view.getUint32(at, true) !== 0x02014b50) break;
    const names = view.getUint16(at + 28, true);
    const local = view.getUint32(at + 42, true);
    const packed = view.getUint32(at + 20, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + names));
    if (local + 30 <= bytes.length) {
      const data = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      found.push({
        name, method: view.getUint16(at + 10, true), size: view.getUint32(at + 24, true),
        packed: bytes.subarray(data, Math.min(data + packed, bytes.length)),
      });
    }
    at += 46 + names + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return found;
}

async function unpack(entry: Entry): Promise<string> {
  if (entry.method === 0) return new TextDecoder().decode(entry.packed.subarray(0, MOST));
  if (entry.method !== 8) throw new Error(`${entry.name} is packed in a way that is not read here.`);
  const stream = new Blob([entry.packed as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  const text = new TextDecoder();
  let all = '', n = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return all + text.decode();
    n += value.length;
    if (n > MOST) {
      await reader.cancel();
      return all;
    }
    all += text.decode(value, { stream: true });
  }
}

const number = (name: string): number => Number(/(\d+)\.xml$/.exec(name)?.[1] ?? 0);
const words = (xml: string, tag: string): string[] =>
  [...xml.matchAll(new RegExp(`<${tag}(?:\\s[^>]*)?>([^<]*)</${tag}>`, 'g'))].map((m) => unescapeHtml(m[1]!));

/** Paragraphs of a document. */
export const docxText = (xml: string): string =>
  xml.split(/<\/w:p>/).map((p) => words(p.replace(/<w:tab\/>/g, '<w:t>\t</w:t>').replace(/<w:br[^>]*\/>/g, '<w:t>\n</w:t>'), 'w:t').join('')).join('\n').trim();

/** Rows of a sheet, cells set apart by tabs. */
export function sheetText(xml: string, shared: readonly string[]): string {
  return [...xml.matchAll(/<row\b[^>]*>([\s\S]*?)<\/row>/g)].map((row) =>
    [...row[1]!.matchAll(/<c\b([^>]*?)(?:\/>|>([\s\S]*?)<\/c>)/g)].map(([, attributes, inside = '']) => {
      const value = /<v(?:\s[^>]*)?>([^<]*)<\/v>/.exec(inside)?.[1] ?? '';
      if (/\bt="s"/.test(attributes!)) return shared[Number(value)] ?? '';
      return /\bt="inlineStr"/.test(attributes!) ? words(inside, 't').join('') : unescapeHtml(value);
    }).join('\t')).join('\n');
}

/** What a document, a workbook or a presentation says. */
export async function officeText(bytes: Uint8Array): Promise<string> {
  const entries = entriesOf(bytes);
  const part = (name: string): Entry | undefined => entries.find((e) => e.name === name);
  const numbered = (pattern: RegExp): Entry[] =>
    entries.filter((e) => pattern.test(e.name)).sort((a, b) => number(a.name) - number(b.name)).slice(0, PARTS);
  const document = part('word/document.xml');
  if (document) return docxText(await unpack(document));
  const sheets = numbered(/^xl\/worksheets\/sheet\d+\.xml$/);
  if (sheets.length) {
    const strings = part('xl/sharedStrings.xml');
    const shared = strings ? [...(await unpack(strings)).matchAll(/<si\b[^>]*>([\s\S]*?)<\/si>/g)].map((m) => words(m[1]!, 't').join('')) : [];
    const texts = [];
    for (const s of sheets) texts.push(sheetText(await unpack(s), shared));
    return texts.join('\n\n');
  }
  const slides = numbered(/^ppt\/slides\/slide\d+\.xml$/);
  const texts = [];
  for (const s of slides) texts.push((await unpack(s)).split(/<\/a:p>/).map((p) => words(p, 'a:t').join('')).filter(Boolean).join('\n'));
  if (!slides.length) throw new Error('This is no Office file: it has no document, sheet or slide.');
  return texts.join('\n\n');
}
