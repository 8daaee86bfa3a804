// How an executable of a release is started on this machine, of its own kind or not.
import { copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterThisTest } from '../harness.ts'

export interface Runner {
  /** What goes before the command's own words. */
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The folder to work in, and what the executable calls it. */
  readonly folder: string
  readonly folderInside: string
}

/** A way to run the executable in a folder of its own, or why there is none here. */
export const findRunner = (target: string, executable: string, folder: string): Runner | string => {
  const [system = '', arch = '', kind] = target.split('-')
  if (system !== 'linux') return isHere(system, arch) ? plain(executable, folder) : foreign(system, executable, folder)
  if (process.platform !== 'linux') return 'this is no Linux'
  if (kind === 'musl') return inMuslRoot(arch, executable, folder)
  if (arch === process.arch) return isMusl ? 'this system has no glibc' : plain(executable, folder)
  return emulated(arch, executable, folder)
}

const isHere = (system: string, arch: string): boolean =>
  process.platform === { macos: 'darwin', windows: 'win32' }[system] && process.arch === arch
const isMusl = existsSync('/etc/alpine-release')

const plain = (executable: string, folder: string): Runner => ({
  words: [executable],
  environment: {},
  folder,
  folderInside: folder,
})

/** What Debian and the tools of GNU call a kind of processor. */
const gnuNames: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }

/** By QEMU, with the C library of Debian's cross compilers. */
const emulated = (arch: string, executable: string, folder: string): Runner | string => {
  const gnu = gnuNames[arch]
  const emulator = Bun.which(`qemu-${gnu}-static`)
  const root = `/usr/${gnu}-linux-gnu`
  if (!emulator) return `there is no qemu-${gnu}-static here (apt-get install qemu-user-static)`
  if (!existsSync(`${root}/lib/libc.so.6`)) return `there is no ${root} here (apt-get install libc6-${arch}-cross)`
  return { ...plain(executable, folder), words: [emulator, '-L', root, executable] }
}

/**
 * In a root folder that holds musl, the C++ library and nothing else, so that the executable finds nothing of this
 * system's. `TEST_MUSL_ROOT_X64` or `_ARM64` names such a folder, of Alpine for example; otherwise it is put together.
 */
const inMuslRoot = (arch: string, executable: string, folder: string): Runner | string => {
  if (process.getuid?.() !== 0) return 'only root may change the root folder'
  const gnu = gnuNames[arch]
  const given = process.env[`TEST_MUSL_ROOT_${arch.toUpperCase()}`]
  const root = given ?? join(folder, 'root')
  const problem = given === undefined ? makeMuslRoot(arch, executable, root) : undefined
  if (problem !== undefined) return problem
  const work = join(root, 'work')
  mkdirSync(work, { recursive: true })
  copyFileSync(executable, join(root, 'formbox'))
  const runner = { environment: {}, folder: work, folderInside: '/work' }
  // Without `/proc`, which the executable does not need there.
  if (arch === process.arch) return { ...runner, words: ['chroot', root, '/formbox'] }
  const emulator = Bun.which(`qemu-${gnu}-static`)
  if (!emulator) return `there is no qemu-${gnu}-static here (apt-get install qemu-user-static)`
  copyFileSync(emulator, join(root, 'qemu'))
  mkdirSync(join(root, 'proc'), { recursive: true })
  // In mounts of its own, so that what Linux tells of processes is gone from the folder with the last of them.
  const enter = ['unshare', '--mount', 'sh', '-c', 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root]
  return { ...runner, words: [...enter, '/qemu', '/formbox'] }
}

/**
 * musl is Debian's. A C++ library for musl it does not have; so what the executable asks for is linked from the objects
 * of its libstdc++, which for these few functions know nothing of the C library but what both have.
 */
const makeMuslRoot = (arch: string, executable: string, root: string): string | undefined => {
  const gnu = gnuNames[arch] ?? ''
  const loader = `/lib/ld-musl-${gnu}.so.1`
  if (!existsSync(loader)) return `there is no ${loader} here (apt-get install musl:${arch.replace('x64', 'amd64')})`
  const compiler = ['', '-12', '-13', '-14'].map((end) => `${gnu}-linux-gnu-gcc${end}`).find((name) => Bun.which(name))
  if (!compiler) return `there is no ${gnu}-linux-gnu-gcc here (apt-get install gcc-${gnu.replace('_', '-')}-linux-gnu)`
  const library = (name: string): string => run([compiler, `-print-file-name=${name}`]).trim()
  if (!library('libstdc++_pic.a').includes('/'))
    return 'there is no libstdc++_pic.a here (apt-get install libstdc++-12-pic)'

  mkdirSync(join(root, 'lib'), { recursive: true })
  copyFileSync(realpathSync(loader), join(root, loader))
  const source = join(root, 'missing.c')
  writeFileSync(source, `${glibcAlone.map((line) => `__attribute__((visibility("hidden"))) ${line}`).join('\n')}\n`)
  const wanted = cxxSymbols(executable).flatMap((name) => ['-u', name])
  run([
    ...[compiler, '-shared', '-nostdlib', '-fPIC', '-w', '-o', join(root, 'lib/libstdc++.so.6')],
    ...['-Wl,-soname,libstdc++.so.6,-Bsymbolic,--gc-sections', ...wanted, source, library('libstdc++_pic.a')],
    ...['-Wl,--start-group', library('libgcc_eh.a'), library('libgcc.a'), '-Wl,--end-group'],
  ])
}

/** What those objects name that musl does not have, or under another name; but for the last, none of it is called. */
const glibcAlone = [
  'void *__dso_handle = 0;',
  'char __libc_single_threaded = 0;',
  'int _dl_find_object(void *address, void *result) { return -1; }',
  'unsigned arc4random(void) { __builtin_trap(); }',
  'unsigned long __getauxval(unsigned long type) { extern unsigned long getauxval(unsigned long); return getauxval(type); }',
]

/** The names that the executable wants from the C++ library, or has room for a copy of. */
const cxxSymbols = (executable: string): string[] => {
  const undefinedNames = run(['nm', '-D', '--undefined-only', executable]).matchAll(
    / [Uwv] ((?:_Z|__cxa|__dyn|__gxx)\S*)/g,
  )
  const copied = run(['readelf', '-rW', executable]).matchAll(/_COPY\s+\S+\s+(_Z\S+)/g)
  return [...undefinedNames, ...copied].map(([, name]) => (name as string).replace(/@.*/, ''))
}

/** Windows' executable by Wine. */
const foreign = (system: string, executable: string, folder: string): Runner | string => {
  if (system !== 'windows') return `a ${system} executable runs on ${system} only`
  const find = (...paths: (string | null)[]) => paths.find((path) => path !== null && existsSync(path))
  // Debian's wine64 is not in the PATH.
  const wine = find(Bun.which('wine64'), '/usr/lib/wine/wine64')
  const wineserver = find(Bun.which('wineserver'), '/usr/lib/wine/wineserver64')
  if (!wine || !wineserver) return 'there is neither Windows nor Wine here (apt-get install wine64)'
  const prefix = join(folder, 'wine')
  const environment = { WINEPREFIX: prefix, WINEDEBUG: '-all', HOME: folder, PATH: process.env.PATH ?? '' }
  const system32 = join(prefix, 'drive_c/windows/system32')
  run([wine, 'wineboot', '--init'], environment)
  // It outlives the programs, and writes into its folder when it ends.
  afterThisTest(() => void Bun.spawnSync([wineserver, '-k', '-w'], { env: environment }))
  if (!existsSync(join(system32, 'bcryptprimitives.dll'))) {
    const problem = addRandomness(system32)
    if (problem !== undefined) return problem
  }
  return { ...plain(executable, folder), words: [wine, executable], environment }
}

/** Windows has a library of one function that Wine lacks before version 9. */
const addRandomness = (system32: string): string | undefined => {
  const compiler = Bun.which('x86_64-w64-mingw32-gcc')
  if (!compiler) return 'this Wine has no bcryptprimitives.dll (apt-get install gcc-mingw-w64-x86-64-win32)'
  const source = join(system32, 'formbox-random.c')
  writeFileSync(
    source,
    [
      '#include <windows.h>',
      'BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);',
      '__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {',
      '  return SystemFunction036(bytes, (ULONG)count);',
      '}\n',
    ].join('\n'),
  )
  run([compiler, '-shared', '-o', join(system32, 'bcryptprimitives.dll'), source, '-ladvapi32'])
}

/** Runs a program to its end, and returns what it printed. */
export const run = (words: readonly string[], environment: Readonly<Record<string, string>> = {}): string => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words], { env: { ...process.env, ...environment } })
  if (exitCode !== 0) throw new Error(`${words.slice(0, 3).join(' ')}…: ${stderr}`)
  return stdout.toString()
}
