// SPDX-License-Identifier: Apache-2.0
// Why something is not there, in the server's own words, and what can be done.
import type { Refused } from '../api/client';
import { text } from '../strings';
import { go, route } from '../app/router';

export function Failure(p: { error: Refused; again?: () => void }) {
  const { error } = p;
  const at = route.value;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{error.status ? `${error.status} ${error.reason}` : text.serverGone}</strong>
        {error.status ? <span class="words">{error.message}</span> : null}
      </p>
      <p class="buttons">
        {p.again && <button type="button" onClick={p.again}>{text.again}</button>}
        {error.reason === 'stepNotFound' && at.world !== undefined &&
          <button type="button" onClick={() => go({ seq: undefined })}>{text.toNow}</button>}
        {error.reason === 'worldNotFound' && <a href="/_sosia/ui/worlds">{text.worlds}</a>}
      </p>
    </div>
  );
}

export function Empty(p: { children: preact.ComponentChildren }) {
  return <div class="empty">{p.children}</div>;
}
