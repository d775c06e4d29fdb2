/** What a confined command may try with the server user's privileges, and must not be able to do. */
export const attacks: readonly [what: string, command: string][] = [
  ['make the programs writable', 'mount -o remount,rw,bind /usr'],
  ['take away what hides something', 'umount -l /tmp || umount -l /proc'],
  ['mount a file system', 'mkdir -p there && mount -t tmpfs none there'],
  ['bind a directory elsewhere', 'mkdir -p there && mount --bind /usr there'],
  ['mount the processes again', 'mkdir -p there && mount -t proc none there'],
  ['make a device', 'mknod null c 1 3'],
  ['change the root directory', 'chroot . /bin/true || chroot /usr /bin/true'],
  ['enter the namespaces of the first process as new ones', 'nsenter -t 1 -m -p -n true'],
  ['become root of a user namespace', 'unshare --user --map-root-user true'],
  ['get a mount namespace of its own', 'unshare --mount true'],
  ['give a file to someone else', 'touch mine && chown 12345 mine'],
  ['become someone else', 'setpriv --reuid 12345 --clear-groups true'],
  ['name the machine', 'hostname taken'],
]
