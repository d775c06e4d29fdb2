const key = 'polyfs-theme'

export type Theme = 'system' | 'light' | 'dark'

/** Applies the theme chosen on an earlier visit. */
export function restoreTheme(): void {
  apply((localStorage.getItem(key) as Theme | null) ?? 'system')
}

/** Switches from the visible theme to the other one. */
export function switchTheme(): void {
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark'
  const wasSystem = document.documentElement.dataset.theme === 'system'
  const next = wasSystem
    ? matchMedia('(prefers-color-scheme: dark)').matches
      ? 'light'
      : 'dark'
    : isDark
      ? 'light'
      : 'dark'
  localStorage.setItem(key, next)
  apply(next)
}

/** Calls `listener` whenever the visible theme changes, by the user or by the system. */
export function onThemeChange(listener: () => void): void {
  listeners.add(listener)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener)
}

const listeners = new Set<() => void>()

function apply(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}
