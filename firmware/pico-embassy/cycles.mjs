// Counts the cycles of a firmware of `cargo xtask bench` in an emulated RP2040:
//
//   node cycles.mjs FIRMWARE.elf
//
// For each part between the marks of tests/device/bench/measure.rs it prints a line with its cycles.
// The firmware lies at the start of flash, and ends by semihosting; what it prints is dropped.
import { readFileSync } from 'node:fs';
import { ConsoleLogger, LogLevel, RP2040 } from 'rp2040js';

const FLASH = 0x10000000;
// mov r10, r10 and mov r11, r11; bkpt 0xab, by which it asks the debugger for something.
const BEGIN = 0x46d2, END = 0x46db, ASK = 0xbeab;
// What it asks for: a file to write to, or to end.
const OPEN = 0x01, EXIT = 0x18, EXIT_EXTENDED = 0x20;

const elf = readFileSync(process.argv[2]);
const mcu = new RP2040();
mcu.logger = new ConsoleLogger(LogLevel.Error, true);
const [table, size, count] = [elf.readUInt32LE(28), elf.readUInt16LE(42), elf.readUInt16LE(44)];
for (let i = 0; i < count; i++) {
  const entry = table + i * size;
  const [kind, offset, address, length] =
    [0, 4, 12, 16].map((field) => elf.readUInt32LE(entry + field));
  if (kind === 1 && length > 0 && address >= FLASH) {
    mcu.flash.set(elf.subarray(offset, offset + length), address - FLASH);
  }
}
const { core } = mcu;
core.VTOR = FLASH;
core.SP = mcu.readUint32(FLASH);
core.PC = mcu.readUint32(FLASH + 4) & ~1;
// The timer of another board, which the firmware looks at and we do not.
mcu.peripherals[0x40000] = { readUint32: () => 0, writeUint32: () => {}, writeUint32Atomic: () => {} };

let begun = 0;
for (;;) {
  const instruction = mcu.readUint16(core.PC);
  if (instruction === ASK) {
    const wanted = core.registers[0];
    if (wanted === EXIT || wanted === EXIT_EXTENDED) break;
    core.registers[0] = wanted === OPEN ? 1 : 0;
    core.PC += 2;
    continue;
  }
  if (instruction === END) console.log(core.cycles - begun);
  core.executeInstruction();
  if (instruction === BEGIN) begun = core.cycles;
}
