import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { nodeShims } from './build/vite-plugin.js'
import { LongestFirst } from './test/longest-first.js'
import { chromiumOptions } from './test/web/chromium.js'
import { webContainerHost } from './test/web/webcontainer/host/serve-host.js'

const inBrowser = 'test/web/**/*.browser.test.ts'
const besideBrowser = 'test/web/**/*.e2e.test.ts'
const torture = 'test/torture/**/*.test.ts'

/** Generous, so that a loaded machine is slow and not red. */
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

/** Whoever runs the tests may have ignore rules and settings of their own for git. */
const hermetic = { env: { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', XDG_CONFIG_HOME: '/nonexistent' } }

/** Read by `test/scale.ts`, in pages too. */
const size = { provide: { isFull: process.env.POLYFS_TEST_FULL !== undefined } }

/** A worker goes on to the next suite with the modules it has loaded: to load them again took a tenth of all time. */
const inWorkers = { isolate: false }

export default defineConfig({
  test: {
    // A browser works beside them: more would only wait for each other, for minutes where there is but a disk to flush.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [inBrowser, besideBrowser, torture],
          ...hermetic,
          ...inWorkers,
          ...size,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'torture',
          include: [torture],
          ...hermetic,
          ...size,
          ...timeouts,
          testTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: 'pages',
          include: [besideBrowser],
          ...hermetic,
          // Each has a browser that works beside it.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          ...inWorkers,
          ...size,
          ...timeouts,
        },
      },
      {
        plugins: [nodeShims(), webContainerHost()],
        // A dependency found only while tests run would reload the page under them.
        optimizeDeps: {
          include: [
            'memfs',
            'isomorphic-git',
            'zod',
            '@zip.js/zip.js/lib/zip-core-custom.js',
            '@webcontainer/api',
            'comlink',
            'just-bash/browser',
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
          ...size,
          ...timeouts,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromiumOptions }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})
