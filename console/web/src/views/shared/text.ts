// SPDX-License-Identifier: Apache-2.0
// Text of what services hold: HTML as plain text, names of entities, sizes, addresses.

const ENTITIES: Record<string, string> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', hellip: '…', ndash: '–', mdash: '—',
  lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', euro: '€', copy: '©', reg: '®', bull: '•', middot: '·',
};

/** Character references of HTML as the characters they stand for; unknown ones stay. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, (all, name: string) => {
    if (name[0] !== '#') return ENTITIES[name.toLowerCase()] ?? all;
    const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : all;
  });
}

/** What a person reads of HTML, without markup. It is text and stays text: nothing here makes elements. */
export function htmlToText(html: string): string {
  return unescapeHtml(
    html
      .replace(/<!--[\s\S]*?(-->|$)/g, '')
      .replace(/<(script|style|head|title|template)\b[\s\S]*?(<\/\1\s*>|$)/gi, '')
      .replace(/[ \t\r\n]+/g, ' ')
      .replace(/<li\b[^<>]*>/gi, '\n• ')
      .replace(/<(br|hr)\b[^<>]*>/gi, '\n')
      .replace(/<\/?(p|div|tr|table|ul|ol|h[1-6]|blockquote|pre|section|article)\b[^<>]*>/gi, '\n')
      .replace(/<\/t[dh]\s*>/gi, '\t')
      .replace(/<attachment\b[^<>]*>/gi, '')
      .replace(/<emoji\b[^<>]*\balt="([^"]*)"[^<>]*>/gi, '$1')
      .replace(/<\/?[a-z!?][^<>]*>/gi, ''),
  )
    .replace(/[ \u00a0]{0,64}\n /g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Plain text as HTML that shows the same, for services that take only that. */
export function textToHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r?\n/g, '<br>');
}

/** Characters that turn the direction of others, or hide: shown as their numbers, as in reports. */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** "Marta Ferri <marta@x>" in its two parts; without a name the address stands for it. */
export function splitAddress(text: string): { name: string; address: string } {
  const at = /^(.*)<([^<>]*)>\s*$/s.exec(text);
  if (!at) return { name: text.trim(), address: text.trim() };
  const name = at[1]!.trim().replace(/^"(.*)"$/s, '$1').replace(/\\(.)/g, '$1');
  return { name: name || at[2]!, address: at[2]! };
}

/** Bytes as people read them. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000, unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A part of an entity's name in diffs: what would end it is written by its number. */
export const namePart = (part: string): string => part.replace(/[%/]/g, (c) => (c === '%' ? '%25' : '%2F'));

/** UTF-8 as base64, with the letters of URLs when asked. */
export function base64(text: string, url = false): string {
  let bytes = '';
  for (const b of new TextEncoder().encode(text)) bytes += String.fromCharCode(b);
  const packed = btoa(bytes);
  return url ? packed.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') : packed;
}
