/** The agent's panel, with an endpoint on this machine that streams, fails, stalls and calls unknown tools. */
import { readFile } from 'node:fs/promises'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeEndpoint, fakeEndpoint, type Reply } from '../../models/fake-endpoint.js'
import { isFull, longTest, sample, testInTurn } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { complaints, openPlayground, type Playground, playgroundOn, soon } from './playground-page.js'
import { type PlaygroundSite, servePlayground } from './serve-playground.js'

const key = 'sk-secret-0123'
let site: PlaygroundSite
let browser: Browser
let endpoint: FakeEndpoint

beforeAll(async () => {
  ;[site, browser] = await Promise.all([servePlayground(), chromium.launch(chromiumOptions)])
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

beforeEach(async () => {
  endpoint = await fakeEndpoint()
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  await endpoint.close()
  // The browser reports requests that fail, and the tests make some fail.
  expect(complaints.splice(0).filter((text) => !/Failed to load resource/.test(text))).toEqual([])
})

interface AgentOnPage extends Playground {
  /** Sends a prompt, or steers. */
  say(text: string): Promise<void>
  /** Waits for the end of the turn with this number. */
  ended(turns?: number): Promise<void>
  card(tool: string, nth?: number): ReturnType<Page['locator']>
  text(path: string): Promise<string>
}

async function open(
  replies: Reply[],
  { kind = 'openai', serviceWorkers = 'block' as 'block' | 'allow', workspace = 'memory' } = {},
): Promise<AgentOnPage> {
  endpoint.replies.push(...replies)
  const playground = await openPlayground(browser, `${site.url}#workspace=${workspace}&fast=1`, {
    viewport: { width: 1400, height: 900 },
    serviceWorkers,
  })
  const { page, panel } = playground
  if (serviceWorkers === 'allow')
    await soon(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated')
  await panel('Agent')
  await page.getByRole('button', { name: 'Choose a model…' }).click()
  await page.getByLabel('Kind').selectOption(kind)
  await page.getByLabel('Base URL').fill(endpoint.url)
  await page.getByLabel('Model', { exact: true }).fill('fake-1')
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Use this model' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  return {
    ...playground,
    async say(text) {
      await page.getByLabel('Message to the agent').fill(text)
      await page.getByLabel('Message to the agent').press('Enter')
    },
    ended: (turns = 1) => soon(() => page.locator('.turn-end').count()).toBe(turns),
    card: (tool, nth = 0) => page.locator(`.call[data-tool="${tool}"]`).nth(nth),
    text: (path) =>
      page.evaluate(async (at) => {
        const { polyfs: files } = globalThis as unknown as {
          polyfs: { run(name: string, input: object): Promise<{ bytes: Uint8Array }> }
        }
        return new TextDecoder().decode((await files.run('readBytes', { path: at })).bytes)
      }, path),
  }
}

const write = (path: string, content: string) => ({ tool: 'write_file', args: { path, content } })
const edit = { tool: 'edit_file', args: { path: 'README.md', old_string: '# Harbour', new_string: '# Port' } }

describe.each(isFull ? ['openai', 'anthropic'] : ['openai'])('a model behind an API like that of %s', (kind) => {
  test('streams, edits with approval, and its work is in the editor and the tree', async () => {
    const { page, say, ended, card, row, text } = await open(
      [[{ text: 'I rename it in **README.md**.' }, edit], [{ text: 'Done.' }]],
      { kind },
    )
    await say('Call it a port')
    await card('edit_file').getByRole('button', { name: 'Allow', exact: true }).waitFor()
    expect(await text('/README.md')).toContain('# Harbour')
    // What it would do is shown before it is allowed.
    expect(await card('edit_file').locator('.diff .plus').allTextContents()).toEqual(['+# Port\n'])
    await card('edit_file').getByRole('button', { name: 'Allow', exact: true }).click()
    await ended()
    expect(await page.locator('.answer').allTextContents()).toEqual(['I rename it in README.md.', 'Done.'])
    expect(await text('/README.md')).toContain('# Port')
    await soon(() => page.locator('.cm-agentLine').allTextContents()).toEqual(['# Port'])
    expect(await row('/README.md').locator('.badge').textContent()).toBe('M')
    expect(await page.locator('.turn-facts').textContent()).toMatch(/^1 call · 200 tokens in, 20 out · /)
    const [first] = endpoint.received
    expect(JSON.stringify(first?.headers)).toContain(key)
    expect(first?.headers.referer).toBeUndefined()
    expect(first?.headers.cookie).toBeUndefined()
  })
})

describe('approvals', () => {
  longTest('a denial reaches the model with its word; what is always allowed is not asked again', async () => {
    const { page, say, ended, card, row } = await open([
      [write('a.txt', '1'), write('b.txt', '2'), write('c.txt', '3')],
      [{ tool: 'delete', args: { path: 'b.txt' } }],
      [{ text: 'I see.' }],
    ])
    await say('Write them')
    await card('write_file').getByLabel('Why not, or what instead').fill('not that name')
    await card('write_file').getByRole('button', { name: 'Deny' }).click()
    await card('write_file', 1).getByRole('button', { name: 'Always allow write_file' }).click()
    await row('/c.txt').waitFor()
    await card('delete').getByRole('button', { name: 'Deny' }).click()
    await ended()
    expect(await page.locator('.call-state').allTextContents()).toEqual([
      'denied',
      expect.stringMatching(/^done/),
      expect.stringMatching(/^done/),
      'denied',
    ])
    expect(JSON.stringify(endpoint.received[1]?.body.messages.slice(-3))).toContain('They say: not that name')
    await page.getByRole('button', { name: 'Approvals…' }).click()
    expect(await page.getByLabel('The tool write_file').inputValue()).toBe('allow')
    await page.getByLabel('Changing, deleting').selectOption('deny')
    await page.locator('dialog').getByRole('button', { name: 'Close' }).click()
    endpoint.replies.push([edit], [{ text: 'No, then.' }])
    await say('Edit')
    await ended(2)
    expect(await card('edit_file').locator('.call-state').textContent()).toBe('denied')
  })
})

describe('a reload', () => {
  const append = (word: string) => ({ tool: 'bash', args: { command: `echo ${word} >> log.txt` } })
  const allow = (page: Page, nth = 0) => page.getByRole('button', { name: 'Allow', exact: true }).nth(nth)

  async function reloaded({ page, panel }: AgentOnPage): Promise<void> {
    await page.reload()
    await panel('Agent')
    await page.locator('.turn').first().waitFor()
  }

  testInTurn('with an open approval asks again, and the call is made once', async () => {
    const opened = await open([[{ text: 'Two lines.' }, append('one'), append('two')], [{ text: 'Done.' }]], {
      workspace: 'opfs:kept',
    })
    const { page, say, ended, card, text } = opened
    await say('Write them')
    await allow(page).click()
    await card('bash', 1).getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await reloaded(opened)
    expect(await page.locator('.prompt').allTextContents()).toEqual(['You: Write them'])
    expect(await page.locator('.answer').allTextContents()).toEqual(['Two lines.'])
    await soon(() => page.locator('.call-state').allTextContents()).toEqual([
      expect.stringMatching(/^done/),
      'waits for you',
    ])
    expect(await text('/log.txt')).toBe('one\n')
    expect(endpoint.received).toHaveLength(1)
    await card('bash', 1).getByRole('button', { name: 'Allow', exact: true }).click()
    await ended()
    expect(await text('/log.txt')).toBe('one\ntwo\n')
    expect(await page.locator('.answer').allTextContents()).toEqual(['Two lines.', 'Done.'])
    await reloaded(opened)
    await ended()
    expect(await page.locator('.answer').allTextContents()).toEqual(['Two lines.', 'Done.'])
    await soon(() => page.getByRole('button', { name: 'Undo this turn' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Undo this turn' }).click()
    await soon(() => page.locator('.call.undone').count()).toBe(2)
    await reloaded(opened)
    await soon(() => page.locator('.call.undone').count()).toBe(2)
    // Nothing of it has the key.
    expect(await storedText(page)).toContain('Two lines.')
    expect(await storedText(page)).not.toContain(key)
    await page.getByRole('button', { name: 'Export and more' }).click()
    await page.getByRole('menuitem', { name: 'New conversation' }).click()
    await page.locator('.agent-empty').waitFor()
    await soon(() => storedText(page)).toBe('[]')
  })

  testInTurn(
    'in the middle of a call does not repeat it, and in the middle of an answer asks the model again',
    async () => {
      const slow = { tool: 'bash', args: { command: 'echo begun > begun.txt; sleep 600; echo two > two.txt' } }
      const opened = await open([[slow], ['stall']], { workspace: 'opfs:kept' })
      const { page, say, ended, card, row } = opened
      await say('Go')
      await allow(page).click()
      await soon(() => card('bash').getAttribute('class')).toContain('running')
      // It is made when its beginning is stored.
      await soon(() => storedText(page)).toContain('"running"')
      await reloaded(opened)
      await soon(() => card('bash').locator('.call-state').textContent()).toBe('unknown whether it was done')
      expect(await page.locator('.turn-facts').textContent()).toContain('interrupted')
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await soon(() => endpoint.received.length).toBe(2)
      expect(JSON.stringify(endpoint.received[1]?.body.messages)).toContain('look before you repeat it')
      await reloaded(opened)
      endpoint.replies.push([{ text: 'I looked.' }])
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await ended()
      expect(await page.locator('.answer').allTextContents()).toEqual(['I looked.'])
      expect(await card('bash').count()).toBe(1)
      expect(await row('/two.txt').count()).toBe(0)
    },
  )

  testInTurn('of a tab takes nothing from another one on the same workspace', async () => {
    const opened = await open([[{ text: 'The first tab.' }], [{ text: 'The second tab.' }]], { workspace: 'opfs:kept' })
    const { page, say, ended } = opened
    await say('One')
    await ended()
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    const other = playgroundOn(tab)
    await other.panel('Agent')
    await tab.locator('.notice', { hasText: 'Another tab has a conversation' }).waitFor()
    expect(await tab.locator('.turn').count()).toBe(0)
    await reloaded(opened)
    expect(await page.locator('.answer').allTextContents()).toEqual(['The first tab.'])
    await page.close()
    await tab.close()
    const later = await opened.page.context().newPage()
    await later.goto(`${site.url}#workspace=opfs:kept&fast=1`)
    await playgroundOn(later).panel('Agent')
    await soon(() => later.locator('.answer').allTextContents()).toEqual(['The first tab.'])
  })
})

/** What the browser stores of conversations, as JSON. */
async function storedText(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const opening = indexedDB.open('polyfs-agent')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const reading = opening.result.transaction('conversations').objectStore('conversations').getAll()
          reading.onerror = () => reject(reading.error)
          reading.onsuccess = () => {
            opening.result.close()
            resolve(JSON.stringify(reading.result))
          }
        }
      }),
  )
}

describe('cards', () => {
  longTest('a command with its output, matches as links, and calls that could not be made', async () => {
    const { page, say, ended, card } = await open([
      [
        { tool: 'grep', args: { pattern: 'TODO' } },
        { tool: 'bash', args: { command: 'echo hello; cat none' } },
      ],
      [
        { tool: 'fly', args: {} },
        { tool: 'read_file', args: '{"path": "REA' },
      ],
      [{ text: 'Yes.' }],
    ])
    await say('Look')
    await card('bash').getByRole('button', { name: 'Allow', exact: true }).click()
    await ended()
    expect(await card('bash').locator('.command').textContent()).toBe('$ echo hello; cat none')
    expect(await card('bash').locator('.output').textContent()).toContain('hello')
    expect(await card('fly').locator('.output').textContent()).toContain('There is no tool "fly"')
    expect(await card('read_file').locator('.call-state').textContent()).toBe('not called')
    await card('read_file').locator('.call-args summary').click()
    expect(await card('read_file').locator('.call-args pre').textContent()).toBe('{"path": "REA')
    await card('grep')
      .getByRole('button', { name: /^8: +\/\/ TODO/ })
      .click()
    await page.locator('.cm-content[aria-label="/src/berths.ts"]').waitFor()
    await soon(() => page.locator('.cm-activeLine').textContent()).toContain('TODO')
  })
})

describe('a model that fails', () => {
  longTest('is named in words, without the key, and can be asked again', async () => {
    const { page, say, ended } = await open([
      { status: 401, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }) },
      { status: 503, headers: { 'retry-after': '0' } },
      [{ text: 'Half of' }, 'cut'],
      [{ text: 'Here I am.' }],
    ])
    await say('Hello?')
    await ended()
    expect(await page.locator('.remark.failed').textContent()).toBe('Incorrect API key provided: … (HTTP 401)')
    await say('And now?')
    await ended(2)
    expect(await page.locator('.turn').nth(1).locator('.remark').first().textContent()).toContain('Trying again in')
  })

  test.runIf(isFull)('because it is not there is a sentence about the endpoint', async () => {
    const { page, say, ended } = await open([])
    await endpoint.close()
    await page.clock.install()
    await say('Hello?')
    await soon(async () => {
      await page.clock.runFor(10_000)
      return page.locator('.turn-end').count()
    }).toBe(1)
    await ended()
    expect(await page.locator('.remark.failed').textContent()).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ can’t be reached\. Is it running/,
    )
  })

  longTest('to go on is ended by Stop, and goes on with the next prompt', async () => {
    const { page, say, ended } = await open([[{ text: 'I think' }, 'stall'], [{ text: 'Back.' }]])
    await say('Think')
    await soon(() => page.locator('.answer').textContent()).toBe('I think')
    await page.getByRole('button', { name: 'Stop' }).click()
    await ended()
    expect(await page.locator('.turn-facts').textContent()).toMatch(/^stopped/)
    await say('Well?')
    await ended(2)
    expect(await page.locator('.answer').allTextContents()).toEqual(['I think', 'Back.'])
  })
})

longTest('what is said in the middle reaches the model with the results', async () => {
  const { page, say, ended, card } = await open([[write('a.txt', '1')], [{ text: 'I stop there.' }]])
  await say('Write many files')
  await card('write_file').getByRole('button', { name: 'Allow', exact: true }).waitFor()
  await say('One is enough')
  expect(await page.locator('.waiting').textContent()).toBe('Gets it next: One is enough')
  await card('write_file').getByRole('button', { name: 'Allow', exact: true }).click()
  await ended()
  expect(await page.locator('.prompt').allTextContents()).toEqual([
    'You: Write many files',
    'You, in the middle: One is enough',
  ])
  expect(endpoint.received[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'One is enough' })
})

describe('undo', () => {
  longTest('of a call and of a turn, without what the user typed meanwhile', async () => {
    const { page, say, ended, card, row, show, text } = await open([
      [write('a.txt', '1'), { tool: 'bash', args: { command: 'sleep 2; echo 2 > b.txt' } }],
      [{ text: 'Done.' }],
    ])
    await say('Write')
    await card('write_file').getByRole('button', { name: 'Allow all changes' }).click()
    await soon(() => card('bash').locator('.call-state').textContent()).toBe('running…')
    const editor = await show('/README.md')
    await editor.click()
    await page.keyboard.type('typed ')
    await soon(() => text('/README.md')).toContain('typed')
    await ended()
    // The editor did not go away from what was being typed.
    expect(await editor.isVisible()).toBe(true)
    await row('/b.txt').waitFor()
    await card('write_file').getByRole('button', { name: 'Undo this call' }).click()
    await row('/a.txt').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo this turn' }).click()
    await row('/b.txt').waitFor({ state: 'detached' })
    expect(await text('/README.md')).toContain('typed')
    await page.getByRole('button', { name: 'Undo this turn' }).waitFor({ state: 'hidden' })
  })

  testInTurn(
    'keeps lines that the user changed in the same files, and asks where they are the same lines',
    async () => {
      const start = 'one\ntwo\nthree\nfour\nfive\n'
      const { page, say, ended, card, text } = await open([
        [write('a.txt', start)],
        [{ text: 'Made.' }],
        [write('a.txt', start.replace('two', 'TWO')), write('b.txt', 'b\n')],
        [{ text: 'Edited.' }],
        [write('a.txt', start.replace('two', 'TWO'))],
        [{ text: 'Again.' }],
      ])
      const edit = (find: string, replace: string) =>
        page.evaluate(
          async (edits) => {
            const { polyfs: files } = globalThis as unknown as {
              polyfs: { run(name: string, input: object): Promise<unknown> }
            }
            await files.run('editText', { path: '/a.txt', edits })
          },
          [{ kind: 'literal', find, replace }],
        )
      await say('Make it')
      await card('write_file').getByRole('button', { name: 'Always allow write_file' }).click()
      await ended()
      await say('Edit it')
      await ended(2)
      await edit('five', 'mine')
      await page.getByRole('button', { name: 'Undo this turn' }).nth(1).click()
      await soon(() => text('/a.txt')).toBe(start.replace('five', 'mine'))
      await expect(text('/b.txt')).rejects.toThrow()
      await say('Edit it again')
      await ended(3)
      await edit('TWO', 'mine too')
      // Cancelled, nothing changes.
      await page.getByRole('button', { name: 'Try again from here' }).nth(2).click()
      const dialog = page.locator('dialog')
      expect(await dialog.locator('p').textContent()).toContain(
        '/a.txt was changed in the same place since (line 2), by you',
      )
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await page.locator('.turn').count()).toBe(3)
      await page.getByRole('button', { name: 'Try again from here' }).nth(2).click()
      await dialog.getByRole('button', { name: 'Keep these changes' }).click()
      await soon(() => page.locator('.turn').count()).toBe(2)
      expect(await text('/a.txt')).toContain('mine too')
    },
  )

  longTest('trying again from a prompt is a fork of the conversation and of the files', async () => {
    const { page, say, ended, card, text } = await open([
      [write('a.txt', 'one')],
      [{ text: 'One.' }],
      [write('a.txt', 'two')],
      [{ text: 'Two.' }],
    ])
    await say('First')
    await card('write_file').getByRole('button', { name: 'Always allow write_file' }).click()
    await ended()
    await page.getByRole('button', { name: 'Try again from here' }).click()
    await soon(() => page.locator('.turn').count()).toBe(0)
    expect(await page.getByLabel('Message to the agent').inputValue()).toBe('First')
    await expect(text('/a.txt')).rejects.toThrow()
    await say('Second')
    await ended()
    expect(await text('/a.txt')).toBe('two')
    expect(endpoint.received[2]?.body.messages.filter(({ role }) => role === 'user')).toMatchObject([
      { content: 'Second' },
    ])
    await page.getByRole('button', { name: 'Previous branch' }).click()
    await soon(() => page.locator('.prompt').allTextContents()).toEqual(['You: First'])
    expect(await text('/a.txt')).toBe('one')
    expect(await card('write_file').locator('.diff .plus').textContent()).toBe('+one\n')
    await page.getByRole('button', { name: 'Next branch' }).click()
    await soon(() => text('/a.txt')).toBe('two')
  })
})

describe('the key', () => {
  const everywhere = (page: Page) =>
    page.evaluate(() => ({
      local: JSON.stringify({ ...localStorage }),
      session: JSON.stringify({ ...sessionStorage }),
      address: location.href,
    }))

  test('stays in the tab, and is in no traffic, export or address', async () => {
    const { page, panel, say, ended } = await open([[{ tool: 'list_dir', args: {} }], [{ text: 'Done.' }]])
    await say('List')
    await ended()
    const stored = await everywhere(page)
    expect([stored.session.includes(key), stored.local.includes(key), stored.address.includes(key)]).toEqual([
      true,
      false,
      false,
    ])
    const exported: string[] = []
    for (const name of ['Export as Markdown', 'Export as JSON Lines']) {
      await page.getByRole('button', { name: 'Export and more' }).click()
      const download = page.waitForEvent('download')
      await page.getByRole('menuitem', { name }).click()
      exported.push(await readFile(await (await download).path(), 'utf8'))
    }
    expect(exported[0]).toContain('### list_dir')
    expect(
      exported[1]
        ?.split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).type),
    ).toEqual(['header', 'prompt', 'call', 'text', 'end'])
    await panel('Traffic')
    const download = page.waitForEvent('download')
    await page.locator('.traffic').getByRole('button', { name: 'Export' }).click()
    exported.push(await readFile(await (await download).path(), 'utf8'))
    expect(exported[2]).toContain('list_dir')
    expect(exported.join('')).not.toContain(key)
  })

  longTest('is remembered only when the user wants it, and never sent to another endpoint', async () => {
    const { page, say, ended } = await open([])
    await page.locator('.agent-model').click()
    await page.getByLabel('Remember the key').check()
    await page.getByRole('button', { name: 'Use this model' }).click()
    const stored = await everywhere(page)
    expect([stored.session.includes(key), stored.local.includes(key)]).toEqual([false, true])
    const other = await fakeEndpoint([[{ text: 'Other.' }]])
    try {
      await page.locator('.agent-model').click()
      await page.getByLabel('Base URL').fill(other.url)
      await page.getByLabel('Base URL').blur()
      expect(await page.getByLabel('API key').inputValue()).toBe('')
      await page.getByRole('button', { name: 'Use this model' }).click()
      await say('Hello')
      await ended()
      expect(JSON.stringify(other.received)).not.toContain(key)
    } finally {
      await other.close()
    }
  })
})

const waysToServe = [
  ['as the server sends it', 'block'],
  ['from the copy for use without a network', 'allow'],
] as const

test.each(sample(waysToServe))(
  'only the worker, %s, may reach the endpoint, and only that one',
  async (_, serviceWorkers) => {
    const { page, say, ended } = await open([[{ text: 'Yes.' }]], { serviceWorkers })
    await say('Hello')
    await ended()
    const [worker] = page.workers().filter((each) => each.url().includes('model-worker'))
    const other = await fakeEndpoint()
    try {
      expect(await page.evaluate((url) => fetch(url).then(String, String), endpoint.url)).toContain('TypeError')
      expect(await worker?.evaluate((url) => fetch(url).then(String, String), other.url)).toContain('TypeError')
      expect(await worker?.evaluate((url) => fetch(url).then(String, String), site.url)).toContain('TypeError')
      expect(other.received).toEqual([])
      expect(complaints.splice(0).every((text) => text.includes('Content Security Policy'))).toBe(true)
    } finally {
      await other.close()
    }
  },
)

longTest('the browser’s own model can be used', async () => {
  const { page, panel } = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`)
  await page.evaluate(() => {
    const answers = [
      '{"say":"I read.","tool":"read_file","args":{"path":"README.md"}}',
      '{"say":"It is about a harbour."}',
    ]
    const session = {
      promptStreaming: () => new Blob([answers.shift() ?? '']).stream().pipeThrough(new TextDecoderStream()),
      destroy() {},
    }
    Object.assign(globalThis, { LanguageModel: { availability: async () => 'available', create: async () => session } })
  })
  await panel('Agent')
  await page.getByRole('button', { name: 'Use your model…' }).last().click()
  await page.getByLabel('Kind').selectOption('browser')
  await page.getByRole('button', { name: 'Use this model' }).click()
  await page.getByLabel('Message to the agent').fill('What is it about?')
  await page.getByRole('button', { name: 'Send' }).click()
  await soon(() => page.locator('.answer').allTextContents()).toEqual(['I read.', 'It is about a harbour.'])
  expect(await page.locator('.agent-model').textContent()).toBe('This browser’s model')
})

describe('the demo', () => {
  testInTurn('shows its work in the editor, and gives back the workspace with what was only in memory', async () => {
    const { page, rows, call, show } = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`)
    await call('write_file', { path: 'mine.txt', content: 'mine' })
    await show('/mine.txt')
    const mine = await rows()
    await page.getByRole('button', { name: 'Demo', exact: true }).click()
    await page.getByText('The demo has ended, and your files are back.').waitFor()
    expect(await page.locator('.call').count()).toBe(12)
    expect(await page.locator('.call.failed').count()).toBe(1)
    expect(await page.locator('.place').textContent()).toBe('Sample project · in memory')
    expect(await rows()).toEqual(mine)
    await soon(() => page.getByRole('tab', { name: 'mine.txt' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Look at the demo’s files' }).click()
    await soon(rows).toEqual(['▸ .git A', '▸ data', '▸ notes •', '▸ src •', 'README.md'])
    await page.getByRole('tab', { name: 'berths.ts' }).waitFor()
    await page.getByRole('button', { name: 'Close the demo' }).click()
    await soon(rows).toEqual(mine)
    await page.getByText('An agent on these files').waitFor()
  })

  test.runIf(isFull)('can be stopped, and its calls undone in its own files', async () => {
    const { page, rows } = await openPlayground(browser, `${site.url}#workspace=memory`)
    const before = await rows()
    await page.getByRole('button', { name: 'Watch the demo' }).click()
    await page.locator('.call.done').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('The demo has ended, and your files are back.').waitFor()
    expect(await rows()).toEqual(before)
    expect(await page.locator('.turn-facts').textContent()).toMatch(/^stopped/)
  })
})
