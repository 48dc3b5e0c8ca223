// SPDX-License-Identifier: Apache-2.0
// "JSON" and "copy as curl" of what is shown.
import { useState } from 'preact/hooks';
import { curl, request } from '../api/client';
import { say } from '../app/use';
import { text } from '../strings';
import { Dialog } from './dialog';
import { bytes } from './dates';
import { Plain } from './marks';
import { save } from './save';

export async function copy(what: string, note = text.copied) {
  try {
    await navigator.clipboard.writeText(what);
    say(note);
  } catch {
    say(text.notCopied);
  }
}

const MOST = 200_000;

export function JsonButtons(p: { target: string }) {
  const [shown, show] = useState<string | null>(null);
  const open = async () => {
    try {
      const body = await (await request('GET', p.target)).text();
      show(body);
    } catch (e) {
      say((e as Error).message);
    }
  };
  return (
    <span class="json-buttons">
      <button type="button" onClick={open}>JSON</button>
      <button type="button" onClick={() => copy(curl(p.target))}>{text.copyCurl}</button>
      {shown !== null && (
        <Dialog title={p.target} close={() => show(null)} wide>
          <p class="buttons">
            <button type="button" onClick={() => copy(shown)}>{text.copy}</button>
            <button type="button" onClick={() => save(p.target, 'answer.json')}>{text.download} ({bytes(shown.length)})</button>
          </p>
          {shown.length > MOST ? <p>{text.tooLarge}</p> : <Plain of={shown} />}
        </Dialog>
      )}
    </span>
  );
}
