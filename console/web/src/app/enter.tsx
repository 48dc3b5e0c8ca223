// SPDX-License-Identifier: Apache-2.0
// Getting in: by the code of a link, or with the control key.
import { useState } from 'preact/hooks';
import { enter, sessionNote } from '../api/client';
import { text } from '../strings';

export function Enter() {
  const [key, setKey] = useState('');
  const [only, setOnly] = useState(false);
  const [busy, setBusy] = useState(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    try {
      await enter({ key, ...(only ? { read_only: true } : {}) });
    } catch (error) {
      sessionNote.value = (error as Error).message;
    }
    setBusy(false);
  };
  return (
    <main class="enter" id="main">
      <h1>{text.signIn}</h1>
      {sessionNote.value && <p class="failure" role="alert">{sessionNote.value}</p>}
      <p>{text.signInWords}</p>
      <form onSubmit={submit}>
        <label for="key">{text.controlKey}</label>
        <input id="key" type="password" autocomplete="off" required value={key} onInput={(e) => setKey(e.currentTarget.value)} />
        <label class="check"><input type="checkbox" checked={only} onChange={(e) => setOnly(e.currentTarget.checked)} /> {text.readOnlySession}</label>
        <button type="submit" class="main-button" disabled={busy}>{busy ? text.entering : text.enter}</button>
      </form>
    </main>
  );
}
