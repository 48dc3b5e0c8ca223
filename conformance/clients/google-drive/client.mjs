// SPDX-License-Identifier: Apache-2.0
// Google's official Drive client for a person of a world, with nothing set but a token. The library sends media to
// www.googleapis.com whatever its rootUrl, so these programs run through `sosia run`, where that host is sosia; the token says
// which world is meant.
import { Readable } from 'node:stream';
import { google } from 'googleapis';
import { through as runThrough } from '../harness.mjs';

/** Runs the program through `sosia run`. */
export function through() {
  runThrough(['--fixture', 'small', '--clock', 'frozen']);
}

export function client(w, email) {
  const auth = new google.auth.OAuth2();
  auth.setCredentials({ access_token: w.tokens[email] });
  return google.drive({ version: 'v3', auth, retry: false });
}

/** A request without the library's help; path below www.googleapis.com, or an absolute address. */
export function raw(w, email, method, path, headers = {}, body = undefined) {
  return fetch(new URL(path, 'https://www.googleapis.com/'), {
    method, headers: { authorization: `Bearer ${w.tokens[email]}`, ...headers }, body,
    ...(body instanceof Readable ? { duplex: 'half' } : {}),
  });
}

/** The first of the errors that a refusal lists, with its status. */
export function reason(error) {
  return [error.status, error.response?.data?.error?.errors?.[0]?.reason];
}

export const FOLDER = 'application/vnd.google-apps.folder';
export const DOCUMENT = 'application/vnd.google-apps.document';
export const SPREADSHEET = 'application/vnd.google-apps.spreadsheet';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';

/** A file with text, or without `text` one of metadata only; gives the fields that are asked for. */
export async function create(drive, requestBody, text, fields = 'id') {
  const media = text === undefined ? {} : { media: { mimeType: requestBody.mimeType ?? 'text/plain', body: text } };
  return (await drive.files.create({ requestBody, ...media, fields, supportsAllDrives: true })).data;
}

/** All items of a list, whatever its pages. */
export async function all(method, params, member) {
  const items = [];
  let pageToken;
  do {
    const { data } = await method({ ...params, pageToken });
    items.push(...(data[member] ?? []));
    pageToken = data.nextPageToken;
  } while (pageToken);
  return items;
}

/** The content of a file, as bytes. */
export async function content(drive, fileId, options = {}) {
  const { data } = await drive.files.get({ fileId, alt: 'media', supportsAllDrives: true }, { responseType: 'arraybuffer', ...options });
  return Buffer.from(data);
}
