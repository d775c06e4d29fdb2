/** The options of npm, as far as their form matters: whether a value follows. */

const words = (text: string) => new Set(text.trim().split(/\s+/))

export const flags = words(`
  all allow-same-version audit bin-links commit-hooks description dev dry-run engine-strict force foreground-scripts
  format-package-lock fund git-tag-version global if-present ignore-scripts include-workspace-root init-private install-links
  json legacy-peer-deps link long offline optional package-lock package-lock-only parseable prefer-dedupe prefer-offline
  prefer-online production progress provenance read-only rebuild-bundle save save-bundle save-dev save-exact save-optional save-peer
  save-prod shrinkwrap sign-git-commit sign-git-tag strict-peer-deps strict-ssl timing unicode update-notifier usage version
  versions workspaces workspaces-update yes color`)

export const withValue = words(`
  access also audit-level before browser ca cache cafile call cert cpu depth diff editor git globalconfig heading https-proxy include
  init-author-email init-author-name init-author-url init-license init-module init-type init-version install-strategy key libc
  local-address location lockfile-version loglevel logs-dir logs-max maxsockets message node-gyp node-options noproxy omit only os otp
  pack-destination package preid prefix proxy registry save-prefix scope script-shell searchlimit shell tag tag-version-prefix umask
  user-agent userconfig viewer which workspace`)

/** Those that may be given several times. */
export const lists = words('workspace package omit include ca noproxy')

export const shorthands: Readonly<Record<string, readonly string[]>> = {
  d: ['--loglevel', 'info'],
  dd: ['--loglevel', 'verbose'],
  ddd: ['--loglevel', 'silly'],
  quiet: ['--loglevel', 'warn'],
  q: ['--loglevel', 'warn'],
  s: ['--loglevel', 'silent'],
  silent: ['--loglevel', 'silent'],
  verbose: ['--loglevel', 'verbose'],
  desc: ['--description'],
  help: ['--usage'],
  local: ['--no-global'],
  n: ['--no-yes'],
  no: ['--no-yes'],
  porcelain: ['--parseable'],
  readonly: ['--read-only'],
  reg: ['--registry'],
  iwr: ['--include-workspace-root'],
  ws: ['--workspaces'],
  a: ['--all'],
  c: ['--call'],
  f: ['--force'],
  g: ['--global'],
  L: ['--location'],
  l: ['--long'],
  m: ['--message'],
  p: ['--parseable'],
  C: ['--prefix'],
  S: ['--save'],
  B: ['--save-bundle'],
  D: ['--save-dev'],
  E: ['--save-exact'],
  O: ['--save-optional'],
  P: ['--save-prod'],
  '?': ['--usage'],
  H: ['--usage'],
  h: ['--usage'],
  v: ['--version'],
  w: ['--workspace'],
  y: ['--yes'],
}

/** What holds when nothing is given, where it is not "off". */
export const defaults: Readonly<Record<string, Setting>> = {
  'bin-links': true,
  'package-lock': true,
  save: true,
  'save-prefix': '^',
  'commit-hooks': true,
  'git-tag-version': true,
  loglevel: 'notice',
  message: '%s',
  'tag-version-prefix': 'v',
  preid: '',
  unicode: true,
  'workspaces-update': true,
  'init-version': '1.0.0',
  'init-license': 'ISC',
  'init-type': 'commonjs',
}

export type Setting = string | boolean | readonly string[]
