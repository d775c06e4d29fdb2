/** Of the machine, what every sandbox shows whatever its roots are, as arguments of bubblewrap. */

/** Programs and what they are made of. Nothing of it can be written. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix']

/** Of the configuration only what programs need to find their parts and the network; secrets lie beside it. */
const configuration = [
  'alternatives',
  'ca-certificates',
  'fonts',
  'gitconfig',
  'group',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'passwd',
  'pki',
  'protocols',
  'resolv.conf',
  'services',
  'ssl',
  'terminfo',
  'timezone',
]

export const systemArguments: readonly string[] = [...system, ...configuration.map((name) => `/etc/${name}`)].flatMap(
  (name) => ['--ro-bind-try', name, name],
)

/** Files that programs share through memory. */
const sharedMemoryBytes = 2 ** 30

/**
 * Processes and devices. Root without capabilities still owns the settings of the kernel in `/proc/sys`, so nothing of `/proc` can be written;
 * nor can `/dev`, which lies in memory.
 */
export const baseArguments: readonly string[] = [
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts'],
  ...['--proc', '/proc', '--remount-ro', '/proc'],
  ...['--dev', '/dev', '--size', String(sharedMemoryBytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
  ...['--remount-ro', '/dev'],
]
