/** Names of time zones, such as `Eastern Standard Time`, from the host's `Intl`. */

export function zoneName(zone: string | undefined, seconds: number): string {
  if (zone === undefined || zone === '' || !isZone(zone)) return 'Coordinated Universal Time'
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'long' }).formatToParts(
    new Date(seconds * 1000),
  )
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'long' })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
