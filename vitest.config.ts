import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { nodeShims } from './build/vite-plugin.js'
import { LongestFirst } from './test/longest-first.js'
import { parseSeed, seedOfCommit } from './test/seed.mjs'
import { chromiumOptions } from './test/web/chromium.js'
import { transcriptInNode } from './test/web/transcript-in-node.js'
import { webContainerHost } from './test/web/webcontainer/host/serve-host.js'

const inBrowser = 'test/web/**/*.browser.test.ts'
/** A page has one container, and there it has none. */
const inOwnPage = 'test/web/webcontainer/offline.browser.test.ts'
const besideBrowser = 'test/web/**/*.e2e.test.ts'
const torture = 'test/torture/**/*.test.ts'

/** The browser of the project `browser`; `pages` always starts Chromium. */
const browser = process.env.POLYFS_TEST_BROWSER === 'firefox' ? 'firefox' : 'chromium'

/** Suites that `npm test` leaves to `--full`. */
const leftOut = (process.env.POLYFS_TEST_WITHOUT ?? '').split(' ').filter((pattern) => pattern !== '')

const isFull = process.env.POLYFS_TEST_FULL !== undefined

/** Long, so that tests do not fail on a loaded machine. At full length some take minutes on an idle one. */
const timeouts = {
  testTimeout: isFull ? 1_800_000 : 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Whole values in messages of failed tests: `npm test` repeats the first line of each. */
const messages = { chaiConfig: { truncateThreshold: 1000 } }

/** Leaves out the git settings and ignore rules of the user that runs the tests. Browsers write to that place. */
const ownConfig = join(tmpdir(), `polyfs-config-${process.getuid?.() ?? 0}`)
const hermetic = { env: { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', XDG_CONFIG_HOME: ownConfig } }

/** Read by `test/scale.ts`, in pages too. */
const seed = parseSeed(process.env.POLYFS_TEST_SEED ?? '') ?? seedOfCommit()
const size = { provide: { isFull, seed } }

/** Generated cases that are the same with the same seed. */
const repeatable = { setupFiles: ['test/repeatable.ts'] }

/**
 * Suites of one worker share loaded modules: loading them again took a tenth of the time. Most code runs a few times only, so that V8
 * optimises later than by default: that took an eighth.
 */
const inWorkers = { isolate: false, execArgv: ['--interrupt-budget=1000000'] }

export default defineConfig({
  test: {
    // Many suites wait for other processes, so that two workers leave two cores idle for a third of the time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [inBrowser, besideBrowser, torture, ...leftOut],
          ...hermetic,
          ...inWorkers,
          ...repeatable,
          ...size,
          ...timeouts,
          ...messages,
        },
      },
      {
        test: {
          name: 'torture',
          include: [torture],
          ...hermetic,
          ...size,
          ...timeouts,
          ...messages,
          testTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: 'pages',
          include: [besideBrowser],
          exclude: leftOut,
          ...hermetic,
          // Each starts a browser.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          ...inWorkers,
          ...size,
          ...timeouts,
          ...messages,
        },
      },
      {
        plugins: [nodeShims(), webContainerHost()],
        // A dependency that Vite discovers during a test would reload its page.
        optimizeDeps: {
          include: [
            'isomorphic-git',
            'pako',
            'zod',
            '@zip.js/zip.js/lib/zip-core-custom.js',
            '@webcontainer/api',
            'comlink',
            'smol-toml',
            'quickjs-wasi',
            'sucrase/dist/parser/index.js',
            'sucrase/dist/parser/tokenizer/types.js',
            'sql.js',
            '@ai-sdk/mcp',
            '@modelcontextprotocol/server',
            '@modelcontextprotocol/server/stdio',
          ],
        },
        server: {
          headers: {
            'Cross-Origin-Opener-Policy': 'same-origin',
            'Cross-Origin-Embedder-Policy': 'require-corp',
          },
        },
        test: {
          name: 'browser',
          include: [inBrowser],
          fileParallelism: false,
          // One page for all suites: to load a page and its modules for each took a sixth of the time.
          isolate: false,
          ...size,
          ...timeouts,
          ...messages,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright(browser === 'chromium' ? { launchOptions: chromiumOptions } : {}),
            instances: [
              { browser, exclude: [inOwnPage, ...leftOut] },
              { browser, name: `${browser}, without a container`, include: [inOwnPage] },
            ],
            commands: { transcriptInNode },
          },
        },
      },
    ],
  },
})
