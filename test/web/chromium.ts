/** Timeout for browser actions: on a loaded machine the default of 30 seconds is not always enough. */
export const patienceMs = 90_000

/** What Playwright turns off itself: of several lists Chromium uses the last. */
const disabledByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

/** Pages that every new window loads for its address bar, which nobody sees: they take as long as the page of a test. */
const addressBar = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup']

/** How tests start Chromium: on loopback only, and quiet. `test/run.mjs` finds the browser; without it Playwright's own is used. */
export const chromiumOptions = {
  headless: true,
  timeout: patienceMs,
  // Without a locale Chromium can't say names of local files beyond ASCII.
  env: { ...process.env, LC_ALL: 'C.UTF-8' } as Record<string, string>,
  // Not the headless shell, which never grants write access to a local folder.
  ...(process.env.POLYFS_CHROMIUM === undefined
    ? { channel: 'chromium' }
    : { executablePath: process.env.POLYFS_CHROMIUM }),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${[...disabledByPlaywright, ...addressBar].join(',')}`,
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1',
  ],
}
