/** Ids of the users and groups that every Debian has, by their names, and the one user there is. */

export const systemUser = { name: 'user', id: 1000 }

const users: ReadonlyArray<readonly [string, number]> = [
  ...(['root', 'daemon', 'bin', 'sys', 'sync', 'games', 'man', 'lp', 'mail', 'news', 'uucp'] as const).map(
    (name, id) => [name, id] as const,
  ),
  ['proxy', 13],
  ['www-data', 33],
  ['backup', 34],
  ['list', 38],
  ['irc', 39],
  ['nobody', 65534],
]

const groups: ReadonlyArray<readonly [string, number]> = [
  ...(['root', 'daemon', 'bin', 'sys', 'adm', 'tty', 'disk', 'lp', 'mail', 'news', 'uucp'] as const).map(
    (name, id) => [name, id] as const,
  ),
  ['man', 12],
  ['proxy', 13],
  ['kmem', 15],
  ['dialout', 20],
  ['fax', 21],
  ['voice', 22],
  ['cdrom', 24],
  ['floppy', 25],
  ['tape', 26],
  ['sudo', 27],
  ['audio', 29],
  ['dip', 30],
  ['www-data', 33],
  ['backup', 34],
  ['operator', 37],
  ['list', 38],
  ['irc', 39],
  ['src', 40],
  ['shadow', 42],
  ['utmp', 43],
  ['video', 44],
  ['sasl', 45],
  ['plugdev', 46],
  ['staff', 50],
  ['games', 60],
  ['users', 100],
  ['nogroup', 65534],
]

const own = [systemUser.name, systemUser.id] as const

export const userIds: ReadonlyMap<string, number> = new Map([...users, own])
export const groupIds: ReadonlyMap<string, number> = new Map([...groups, own])

/** The name that has an id, or nothing. */
export function nameOf(ids: ReadonlyMap<string, number>, wanted: number): string | undefined {
  for (const [name, id] of ids) if (id === wanted) return name
  return undefined
}
