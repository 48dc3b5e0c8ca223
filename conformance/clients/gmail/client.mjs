// SPDX-License-Identifier: Apache-2.0
// Google's official Gmail client for a person of a world, with nothing set but its rootUrl, and what programs around it do.
import { google } from 'googleapis';

export function client(w, email) {
  const auth = new google.auth.OAuth2();
  auth.setCredentials({ access_token: w.tokens[email] });
  return google.gmail({ version: 'v1', auth, rootUrl: w.url }).users;
}

/** The first of the errors that a refusal lists, with its status. */
export function reason(error) {
  return [error.status, error.response?.data?.error?.errors?.[0]?.reason];
}

/** A message's bytes: its headers, then its text. */
export function bytes(headers, text = '') {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${head}\r\n${text}`);
}

export const raw = (headers, text) => bytes(headers, text).toString('base64url');

export const header = (message, name) =>
  message.payload.headers.find(h => h.name.toLowerCase() === name.toLowerCase())?.value;

/** The text of the first part of a type, decoded. */
export function text(message, type = 'text/plain') {
  const find = (part) => (part.mimeType === type ? part : part.parts?.map(find).find(Boolean));
  return Buffer.from(find(message.payload).body.data, 'base64url').toString();
}

/** All items of a list, whatever its pages. */
export async function all(method, params, member) {
  const items = [];
  let pageToken;
  do {
    const { data } = await method({ userId: 'me', ...params, pageToken });
    items.push(...(data[member] ?? []));
    pageToken = data.nextPageToken;
  } while (pageToken);
  return items;
}
