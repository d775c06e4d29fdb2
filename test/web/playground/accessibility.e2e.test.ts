/** Accessibility: axe checks every panel, dialog and message, in both themes and on a phone. */
import { readFile } from 'node:fs/promises'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { isFull, longTest } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { complaints, openPlayground, type Playground, soon } from './playground-page.js'
import { type PlaygroundSite, servePlayground } from './serve-playground.js'

let site: PlaygroundSite
let browser: Browser
let axe: string

beforeAll(async () => {
  ;[site, browser, axe] = await Promise.all([
    servePlayground(),
    chromium.launch(chromiumOptions),
    readFile(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'),
  ])
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

/** The themes differ only in colours. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** The screens, each with the steps that lead there from the previous one. */
const screens: Readonly<Record<string, (playground: Playground) => Promise<unknown>>> = {
  'files, and nothing open': ({ page }) => page.locator('#field-path').waitFor(),
  'a menu in the tree': async ({ page, row }) => {
    await row('/src').click()
    await row('/src/berths.ts').click({ button: 'right' })
    await page.getByRole('menu').waitFor()
  },
  'a dialog that asks for a name': async ({ page }) => {
    await page.getByRole('menuitem', { name: 'Rename or move…' }).click()
    await page.locator('dialog[open] input').waitFor()
  },
  'a dialog that asks for a yes': async ({ page, row }) => {
    await page.keyboard.press('Escape')
    await row('/src/berths.ts').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.locator('dialog[open]').waitFor()
  },
  'Markdown in the editor': async ({ page, show }) => {
    await page.keyboard.press('Escape')
    await show('/README.md')
  },
  'code in the editor': ({ show }) => show('/src/berths.ts'),
  'the history, empty': ({ panel }) => panel('History'),
  'git without a repository': ({ page, panel }) =>
    panel('Git').then(() => page.getByRole('button', { name: 'Initialize repository' }).waitFor()),
  'the search, empty': ({ panel }) => panel('Search'),
  'the agent, not started': ({ page, panel }) =>
    panel('Agent').then(() => page.getByText('An agent on these files').waitFor()),
  'the question for a model': async ({ page }) => {
    await page.getByRole('button', { name: 'Choose a model…' }).click()
    await page.getByRole('button', { name: 'Use this model' }).click()
    await page.getByText('Enter the name of a model.').waitFor()
  },
  'what the agent may do': async ({ page }) => {
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Approvals…' }).click()
    await page.getByLabel('Changing, deleting').selectOption('ask')
  },
  'a call that waits for a yes': async ({ page, panel }) => {
    await page.keyboard.press('Escape')
    await page.evaluate(() => {
      const answers = [
        '{"say":"I write it.","tool":"edit_file","args":{"path":"README.md","old_string":"Berths, tides","new_string":"Berths and tides"}}',
        '{"say":"And this one.","tool":"delete","args":{"path":"notes"}}',
        '{"say":"Then not."}',
      ]
      const session = {
        promptStreaming: () => new Blob([answers.shift() ?? '']).stream().pipeThrough(new TextDecoderStream()),
        destroy() {},
      }
      Object.assign(globalThis, {
        LanguageModel: { availability: async () => 'available', create: async () => session },
      })
      localStorage.setItem('polyfs-agent-model', '{"kind":"browser"}')
    })
    await panel('Agent')
    await page.getByLabel('Message to the agent').fill('Call it a port')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Deny' }).waitFor()
  },
  'what a call has changed': async ({ page }) => {
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.locator('.cm-agentLine').first().waitFor()
    await page.locator('.call .diff .plus').waitFor()
  },
  'a call that was denied': async ({ page }) => {
    await page.locator('.call[data-tool=delete]').getByRole('button', { name: 'Deny' }).click()
    await page.locator('.turn-end').waitFor()
  },
  'ways to connect': async ({ page, panel }) => {
    await panel('Connect')
    await page.getByLabel('In your own page: code').waitFor()
    await page.getByText('Off: the browser’s agent').waitFor()
  },
  'resources and prompts': async ({ page, panel }) => {
    await panel('Tools')
    await page.getByRole('button', { name: 'Resources and prompts…' }).click()
    await page.getByRole('form', { name: 'Resources' }).getByRole('button', { name: 'Read' }).click()
    await page.getByLabel('The resource').waitFor()
    await page.getByRole('form', { name: 'Prompts' }).waitFor()
  },
  'a form with nested fields': async ({ page, panel }) => {
    await page.keyboard.press('Escape')
    await panel('Tools')
    await page.locator('#tool').selectOption('edit_file')
  },
  'an answer': async ({ page, call }) => {
    await call('read_file', { path: 'src/tides.ts' })
    await page.getByText('Past calls').click()
  },
  'an answer that says what failed': ({ call }) =>
    call('edit_file', { path: 'README.md', old_string: 'x y', new_string: '' }),
  'the traffic': async ({ page, panel }) => {
    await panel('Traffic')
    await page.locator('.messages summary').first().click()
  },
  'the traffic, nothing found': async ({ page }) => {
    await page.getByLabel('Filter messages').fill('no such message')
    await page.getByText('No messages').waitFor()
  },
  'matches of a search': async ({ page, panel }) => {
    await panel('Search')
    await page.getByLabel('Search for').fill('metres')
    await page.locator('.match').first().waitFor()
  },
  'the terminal': async ({ page, panel, type }) => {
    await panel('Terminal')
    await soon(() => page.locator('.xterm-accessibility').textContent()).toContain('/ $')
    await type('ls -la; cat missing')
    await soon(() => page.locator('.xterm-accessibility').textContent()).toContain('exit code')
  },
  'git with changes': async ({ page, panel }) => {
    await panel('Git')
    await page.getByRole('button', { name: 'Initialize repository' }).click()
    await page.getByRole('button', { name: 'Stage README.md' }).click()
    await page.getByRole('button', { name: 'Unstage README.md' }).waitFor()
  },
  'git with a commit': async ({ page }) => {
    await page.getByLabel('Commit message').fill('First')
    await page.getByRole('button', { name: 'Commit', exact: true }).click()
    await page.locator('.log summary').click()
    await page.locator('.log .path').first().waitFor()
  },
  'the history with a change': async ({ page, panel, call }) => {
    await call('edit_file', { path: 'README.md', old_string: 'Harbour', new_string: 'Port' })
    await panel('History')
    await page.locator('.change', { hasText: 'edit' }).first().click()
    await page.locator('.change-details .path').waitFor()
  },
  'what a change did': async ({ page }) => {
    await page.locator('.change-details .path').first().click()
    await page.locator('.cm-changedLine').first().waitFor()
  },
  'files at an earlier point': async ({ page }) => {
    await page.getByLabel('Point in time').fill('0')
    await page.locator('.then li').first().waitFor()
  },
  'a picture': async ({ page, panel, call, row }) => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
    await call('bash', { command: `echo ${pixel} | base64 -d > pixel.png` })
    await panel('Files')
    await row('/pixel.png').click()
    await page.getByText('1 × 1 · ').waitFor()
  },
  'the conversation of the demo': async ({ page }) => {
    await page.getByRole('button', { name: 'Demo', exact: true }).click()
    await page.getByText('The demo has ended').waitFor()
    await page.getByRole('button', { name: 'Look at the demo’s files' }).click()
    await page.getByRole('tab', { name: 'berths.ts' }).waitFor()
  },
  'the palette': async ({ page }) => {
    await page.keyboard.press('Control+k')
    await page.locator('.palette [role=option]').first().waitFor()
  },
  'ways to open something': async ({ page }) => {
    await page.keyboard.press('Escape')
    await page.locator('.place').click()
    await page.getByRole('heading', { name: 'Open a workspace' }).waitFor()
  },
  'the question for a repository': async ({ page }) => {
    await page.getByRole('button', { name: 'Git repository…' }).click()
    await page.getByRole('button', { name: 'Clone', exact: true }).click()
    await page.getByText('Enter the address of a repository.').waitFor()
  },
  'a clone under way': async ({ page }) => {
    // The code that clones never arrives.
    await page.route('**/clone-worker-*', () => {})
    await page.getByLabel('Address', { exact: true }).fill('https://example.org/x')
    await page.getByRole('button', { name: 'Clone', exact: true }).click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByText('Asking https://example.org/x…').waitFor()
  },
  'a clone that was cancelled': async ({ page }) => {
    await page.getByRole('dialog', { name: 'Clone a repository' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled; nothing was opened.').waitFor()
  },
  'an empty workspace': async ({ page, panel }) => {
    await page.keyboard.press('Escape')
    await page.locator('.place').click()
    await page.getByRole('button', { name: 'Empty, in memory' }).click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await panel('Files')
    await page.getByText('No files yet').waitFor()
  },
  'a message that something failed': async ({ page }) => {
    await page.evaluate(() => (location.hash = '#workspace=memory&file=/missing'))
    await page.reload()
    await page.locator('.notice.failed').waitFor()
  },
}

const phoneScreens: typeof screens = {
  files: ({ row }) => row('/README.md').waitFor(),
  editor: async ({ page, row }) => {
    await row('/README.md').tap()
    await page.locator('.cm-content').waitFor()
    expect(await page.locator('aside').isVisible()).toBe(false)
  },
  tools: async ({ page }) => {
    await page.getByRole('navigation').getByRole('button', { name: 'Agent' }).tap()
    await page.locator('#field-path').waitFor()
  },
  terminal: async ({ page }) => {
    await page.getByRole('tab', { name: 'Terminal' }).tap()
    await soon(() => page.locator('.xterm-accessibility').textContent()).toContain('/ $')
  },
  traffic: ({ page }) => page.getByRole('tab', { name: 'Traffic' }).tap(),
  connect: async ({ page }) => {
    await page.getByRole('tab', { name: 'Connect' }).tap()
    await page.getByLabel('On your computer: code').waitFor()
  },
  search: async ({ page }) => {
    await page.getByRole('navigation').getByRole('button', { name: 'Workspace' }).tap()
    await page.getByRole('tab', { name: 'Search' }).tap()
    await page.getByLabel('Search for').fill('metres')
    await page.locator('.match').first().waitFor()
  },
  git: async ({ page }) => {
    await page.getByRole('tab', { name: 'Git' }).tap()
    await page.getByRole('button', { name: 'Initialize repository' }).tap()
    await page.getByRole('button', { name: 'Stage README.md' }).waitFor()
  },
  history: ({ page }) => page.getByRole('tab', { name: 'History' }).tap(),
  menu: async ({ page, row }) => {
    await page.getByRole('tab', { name: 'Files' }).tap()
    await row('/README.md').locator('.more').tap()
    await page.getByRole('menu').waitFor()
  },
  'ways to open something': async ({ page }) => {
    await page.keyboard.press('Escape')
    await page.locator('.place').tap()
    await page.getByRole('heading', { name: 'Open a workspace' }).waitFor()
  },
  'a repository to clone': async ({ page }) => {
    await page.getByRole('button', { name: 'Git repository…' }).tap()
    await page.getByLabel('CORS proxy').waitFor()
  },
  agent: async ({ page }) => {
    await page.keyboard.press('Escape')
    await page.getByRole('navigation').getByRole('button', { name: 'Agent' }).tap()
    await page.getByRole('tab', { name: 'Agent', exact: true }).tap()
    await page.getByRole('button', { name: 'Watch the demo' }).last().tap()
    await page.getByText('The demo has ended').waitFor()
  },
}

test('axe finds nothing serious on any screen, in the light theme and, at full length, in the dark', async () => {
  const playground = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`, {
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  expect(await findingsOn(screens, playground, { alsoDark: isFull })).toEqual([])
})

longTest('on a phone of 360 pixels nothing is cut off, and axe finds nothing serious', async () => {
  const width = 360
  const playground = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`, {
    viewport: { width, height: 740 },
    hasTouch: true,
    reducedMotion: 'reduce',
  })
  expect(await findingsOn(phoneScreens, playground, { width })).toEqual([])
})

/** Visits the screens; returns the findings, each with the name of its screen. */
async function findingsOn(
  all: typeof screens,
  playground: Playground,
  { width, alsoDark = false }: { width?: number; alsoDark?: boolean },
): Promise<string[]> {
  const { page } = playground
  const findings: string[] = []
  for (const [name, goTo] of Object.entries(all)) {
    await goTo(playground)
    const found = await seriousFindings(page)
    if (alsoDark) {
      await page.emulateMedia({ colorScheme: 'dark' })
      const inDark = await seriousFindings(page, { runOnly: rulesOfColour })
      found.push(...inDark.map((finding) => `in dark, ${finding}`))
      await page.emulateMedia({
        colorScheme: 'light',
        reducedMotion: 'reduce',
      })
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    if (width !== undefined && wide > width) found.push(`${wide} pixels wide`)
    findings.push(...found.map((finding) => `${name}: ${finding}`))
  }
  return findings
}

/** The findings that axe rates serious or worse, by rule and element. */
async function seriousFindings(page: Page, rules: object = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  // Waits until animations have ended: text that fades in has too little contrast. The theme listener runs before the next frame.
  await page.evaluate(async () => {
    await new Promise((next) => requestAnimationFrame(next))
    const ends = (each: Animation) => each.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY
    const animations = document.getAnimations().filter(ends)
    await Promise.all(animations.map((each) => each.finished.catch(() => {})))
  })
  return page.evaluate(
    async (options) => {
      const { violations } = await (window as unknown as Axe).axe.run(options)
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.map(({ html, any }) => `${id}: ${html.slice(0, 120)} ${any[0]?.message ?? ''}`),
        )
    },
    { resultTypes: ['violations'], preload: false, ...rules },
  )
}

interface Axe {
  axe: { run(options: object): Promise<{ violations: Violation[] }> }
}

interface Violation {
  id: string
  impact: string
  nodes: Array<{ html: string; any: Array<{ message: string }> }>
}
