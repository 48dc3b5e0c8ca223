// SPDX-License-Identifier: Apache-2.0
// A document of the world (policies, faults, budgets) that is shown, changed and sent back; what is
// wrong in it the server says, with its line.
import { useState } from 'preact/hooks';
import { Refused } from '../api/client';
import { text } from '../strings';

const words = { save: 'Set', remove: 'Remove', line: 'line' };

export function DocumentForm(p: { label: string; value: string; save: (document: string) => Promise<unknown>; remove?: (() => Promise<unknown>) | undefined; done: () => void }) {
  const [value, setValue] = useState(p.value);
  const [error, setError] = useState<(Refused & { line?: number }) | null>(null);
  const doing = async (act: () => Promise<unknown>) => {
    try {
      await act();
      setError(null);
      p.done();
    } catch (e) {
      setError(e instanceof Refused ? e : new Refused(0, '', String(e)));
    }
  };
  return (
    <form onSubmit={(e) => {
      e.preventDefault();
      void doing(() => p.save(value));
    }}>
      <label>{p.label}<textarea rows={16} spellcheck={false} value={value} onInput={(e) => setValue(e.currentTarget.value)} /></label>
      {error && <div class="failure" role="alert"><strong>{error.status || ''} {error.reason}</strong> <span class="words">{error.message}</span></div>}
      <p class="buttons">
        <button type="submit" class="act">{words.save}</button>
        {p.remove && <button type="button" onClick={() => void doing(p.remove!)}>{words.remove}</button>}
        <button type="button" onClick={() => setValue(p.value)}>{text.cancel}</button>
      </p>
    </form>
  );
}
