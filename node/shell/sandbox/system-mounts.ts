/** The parts of the system that every sandbox shows, as arguments of bubblewrap. */

/** Programs and libraries, all read-only. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix']

/** Only configuration that programs need to find their parts and the network; `/etc` also has secrets. */
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

export const systemPaths: { directories: readonly string[]; configuration: readonly string[] } = {
  directories: system,
  configuration: configuration.map((name) => `/etc/${name}`),
}

export const systemArguments: readonly string[] = [...systemPaths.directories, ...systemPaths.configuration].flatMap(
  (name) => ['--ro-bind-try', name, name],
)

/** Size limit of shared memory. */
const sharedMemoryBytes = 2 ** 30

/**
 * Processes and devices. Root without capabilities still owns the kernel settings in `/proc/sys`, so `/proc` is
 * read-only; so is `/dev`, which is in memory.
 */
export const baseArguments: readonly string[] = [
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts'],
  ...['--proc', '/proc', '--remount-ro', '/proc'],
  ...['--dev', '/dev', '--size', String(sharedMemoryBytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
  ...['--remount-ro', '/dev'],
]
