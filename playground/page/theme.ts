const key = 'polyfs-theme'

export type Theme = 'system' | 'light' | 'dark'

/** The choice of an earlier visit. */
export function restoreTheme(): void {
  apply((localStorage.getItem(key) as Theme | null) ?? 'system')
}

/** From what is shown now to its opposite. */
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

/** Tells of every change of what is shown, whether the user or the system makes it. */
export function onThemeChange(listener: () => void): void {
  listeners.add(listener)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener)
}

const listeners = new Set<() => void>()

function apply(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}
