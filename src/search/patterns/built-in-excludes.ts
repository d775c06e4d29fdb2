/** Lists of what is usually not meant when someone asks for files. */

/** Globs, from the directory that is searched: dependencies, build output, caches and editor folders. */
export const commonExcludes: readonly string[] = [
  '**/node_modules/**',
  '**/dist/**',
  '**/build/**',
  '**/coverage/**',
  '**/.git/**',
  '**/.vscode/**',
  '**/.idea/**',
  '**/.DS_Store',
  '**/.next/**',
  '**/.nuxt/**',
  '**/.output/**',
  '**/.svelte-kit/**',
  '**/.cache/**',
  '**/.yarn/**',
  '**/jspm_packages/**',
  '**/bower_components/**',
  '**/out/**',
  '**/tmp/**',
  '**/.temp/**',
  '**/npm-debug.log',
  '**/yarn-debug.log',
  '**/yarn-error.log',
  '**/Thumbs.db',
]

/** Ignore rules for what is never part of a project: the repository's own files. */
export const repositoryRules: readonly string[] = ['.git']

/** The same, and what the clarvis tools leave behind. */
export const clarvisRules: readonly string[] = [...repositoryRules, '.clarvis', '.clarvis-tmp-*']
