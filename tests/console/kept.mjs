// SPDX-License-Identifier: Apache-2.0
// What is kept in folders: attempts of loops with what they have cost, two versions of an agent side by side, and
// workflows with the checklist by which they may be promoted. What files say is text.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PATIENCE, ROOT, SOSIA, Server, enter, fresh, settled, violations } from './harness.mjs';

let place, server, context, page;

const shows = (text, where = 'main') => page.waitForFunction(
  ([t, w]) => [...document.querySelectorAll(w)].some((e) => e.innerText.includes(t)), [text, where], { timeout: PATIENCE });
const open = async (path) => {
  await page.goto(`${server.url}/_sosia/ui/${path}`);
  await settled(page);
};

/** An attempt as the loops write it; later ones are newer. */
let made = 0;
function attempt(version, task, passed, of) {
  const folder = join(place, 'runs', `${version}.office.${task}.0`);
  mkdirSync(folder, { recursive: true });
  const write = (name, what) => writeFileSync(join(folder, name), typeof what === 'string' ? what : JSON.stringify(what));
  write('task.json', { suite: 'office', task, prompt: `Do <b>${task}</b>` });
  write('verdict.json', { passed, reward: passed ? 1 : 0.25, failures: passed ? [] : ['start: is 10:00 <i>'], parts: [] });
  write('attempt.json', { version, ...of });
  write('diff.json', { changes: [] });
  write('output.txt', `${version} <script>document.title = "ran"</script>`);
  utimesSync(folder, 1_700_000_000 + made, 1_700_000_000 + made++);
}

describe('what is kept', () => {
  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'sosia-kept-'));
    for (const name of ['runs', 'workflows']) mkdirSync(join(place, name));
    attempt('v1', 'move', false, { calls: 8, refused: 2, cost: 0.2, kinds: ['goal', 'refused'] });
    attempt('v1', 'tidy', true, { calls: 4, refused: 0, cost: 0.1, kinds: [] });
    attempt('v2', 'move', true, { calls: 3, refused: 0, cost: 0.05, tokens: 900, kinds: [] });
    attempt('v2', 'tidy', true, { calls: 5, refused: 0, cost: 0.15, kinds: [] });
    cpSync(`${ROOT}examples/workflow`, join(place, 'desk'), { recursive: true });
    const evidence = join(place, 'workflows', 'front.json'), promoted = join(place, 'workflows', 'front.promoted.json');
    const done = spawnSync(SOSIA, ['workflow', 'promote', join(place, 'desk/workflow.yaml'), '--against', promoted, '--output', evidence], { encoding: 'utf8', timeout: PATIENCE });
    assert.equal(done.status, 0, done.stderr);
    const now = JSON.parse(readFileSync(evidence, 'utf8'));
    Object.assign(now, { version: '2', passed: false });
    Object.assign(now.checklist[3], { passed: false, passed_runs: 3, failed: ['injection/<b>x</b>'] });
    writeFileSync(evidence, JSON.stringify(now));
    utimesSync(promoted, 1_700_000_000, 1_700_000_000);
    server = await Server.start('--fixture', 'small', '--clock', 'frozen', '--runs', join(place, 'runs'), '--workflows', join(place, 'workflows'));
    context = await fresh({ locale: 'en-GB' });
    page = await enter(context, server.info.console_url);
  });
  after(async () => {
    await context?.close();
    await server?.stop();
    rmSync(place, { recursive: true, force: true });
  });

  test('two attempts stand side by side, with what they have cost', async () => {
    await open('runs?open=v1.office.move.0|v2.office.move.0');
    await shows('start: is 10:00 <i>', '.detail');
    await shows('v2 <script>', '.detail');
    const [one, two] = await page.locator('main .detail').allInnerTexts();
    for (const part of ['8 (Refused 2)', '0.2', 'goal, refused']) assert.ok(one.includes(part), one);
    for (const part of ['900', '0.05']) assert.ok(two.includes(part), two);
    assert.notEqual(await page.title(), 'ran');
    assert.deepEqual(await violations(page), []);
  });

  test('two versions are compared by task, by an address', async () => {
    await open('runs?version=%3Dv1&against=%3Dv2');
    await shows('all of them', 'main table');
    const rows = await page.locator('main table tbody tr').evaluateAll((all) => all.map((r) => [...r.cells].map((c) => c.innerText.trim())));
    assert.deepEqual(rows, [
      ['office', 'tidy', '1', '100%', '1', '4', '0.1', '', '1', '100%', '1', '5', '0.15', '', '0%'],
      ['office', 'move', '1', '0%', '0.25', '8', '0.2', 'goal 1, refused 1', '1', '100%', '1', '3', '0.05', '', '+100%'],
      ['', 'all of them', '2', '50%', '0.625', '6', '0.15', 'goal 1, refused 1', '2', '100%', '1', '4', '0.1', '', '+50%'],
    ]);
    assert.deepEqual(await violations(page), []);
    await page.getByLabel('beside').selectOption({ label: 'no other' });
    await page.waitForFunction(() => !new URL(location.href).searchParams.get('against'), undefined, { timeout: PATIENCE });
    await page.waitForFunction(() => document.querySelectorAll('main table thead tr').length === 1, undefined, { timeout: PATIENCE });
  });

  test('a workflow has its checklist, and what has become worse since it was promoted', async () => {
    await open('workflows');
    await shows('front-desk', 'main .list');
    assert.deepEqual((await page.locator('main .list [role=row]').allInnerTexts()).map((t) => /may (not )?be promoted/.exec(t)[0]), ['may not be promoted', 'may be promoted']);
    await page.locator('main .list [tabindex="0"]').focus();
    await page.keyboard.press('Enter');
    await shows('may not be promoted', '.detail');
    assert.equal(new URL(page.url()).searchParams.get('open'), 'front');
    assert.equal(await page.locator('.detail .checklist > li').count(), 9);
    await shows('injection/<b>x</b>', '.detail .checklist');
    await shows('item injection: does not pass any more', '.detail');
    await shows('gmail.users.messages.delete: deny, no-delete', '.detail table');
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(page), []);
    }
    await open('workflows?open=front.promoted');
    await shows('happyPath', '.detail');
    assert.ok(!(await page.locator('.detail').innerText()).includes('Since it was promoted'));
    await open('workflows?open=none');
    await shows('workflowNotFound', '.detail .failure');
  });

  test('a server that shows none says how to show them', async () => {
    const bare = await Server.start('--fixture', 'small', '--clock', 'frozen');
    const other = await fresh();
    const tab = await enter(other, bare.info.console_url);
    for (const [path, option] of [['runs', '--runs DIR'], ['workflows', '--workflows DIR']]) {
      await tab.goto(`${bare.url}/_sosia/ui/${path}`);
      await tab.locator('main .failure', { hasText: option }).waitFor();
    }
    await other.close();
    await bare.stop();
  });

  test('nothing of it has failed in the page', () => assert.deepEqual(context.problems, []));
});
