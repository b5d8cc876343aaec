/*
 * count: a plugin of qemu that counts the instructions of a guest in windows that its program marks.
 *
 * A marker is an instruction without effect that a program runs in user mode, of x86-64
 *
 *     nopl 0x4b410000(%rax,%rax,1)     0f 1f 84 00 00 00 41 4b     opens a window
 *     nopl 0x4b410001(%rax,%rax,1)     0f 1f 84 00 01 00 41 4b     closes it
 *
 * and of arm64, for whose guests it is compiled with -DAARCH64,
 *
 *     movz xzr, #0x4b41                3f 68 89 d2                 opens a window
 *     movz xzr, #0x4b42                5f 68 89 d2                 closes it
 *
 * so windows are known by their order, and do not nest. For each one line goes to the file `out`:
 *
 *     window KERNEL REPEATED USER
 *
 * KERNEL are the instructions at kernel addresses, without REPEATED, which are the iterations of
 * string instructions with a rep prefix: qemu counts each as an instruction, a processor does many
 * at a time; arm64 has none. Before the first window, `boot KERNEL REPEATED USER` tells what led there. With
 * `blocks=FILE` that file gets, for each window, the blocks of kernel code that ran in it:
 *
 *     block WINDOW ADDRESS INSTRUCTIONS TIMES
 *
 * Counting is by translated block: one that an exception leaves early counts as a whole. The guest
 * has one processor.
 *
 * The declarations are those of qemu's plugin interface, version 1 (qemu 7.2,
 * include/qemu/qemu-plugin.h#qemu_plugin_install), which Debian has in no package; only what is used
 * here, so that nothing but a C compiler is needed.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;
enum { NO_REGISTERS };
enum { ADD };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
	void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int, void *, uint64_t);
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
	void (*)(unsigned int, void *), int, void *);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

struct counts {
	uint64_t kernel, repeated, user;
};

/* One for each address and length that code was translated at, for good. */
struct block {
	uint64_t address, length, times, before;
	struct block *next;
};

enum { BUCKETS = 1 << 16 };
static struct counts now, opened;
static struct block *blocks[BUCKETS];
static unsigned long windows;
static bool within;
static FILE *out, *profile;

static struct block *block_at(uint64_t address, uint64_t length)
{
	struct block **bucket = &blocks[(address * 0x9e3779b97f4a7c15u) >> 48];

	for (struct block *known = *bucket; known; known = known->next)
		if (known->address == address && known->length == length)
			return known;
	struct block *new = calloc(1, sizeof(*new));
	if (!new) {
		fprintf(stderr, "count: no memory\n");
		exit(1);
	}
	*new = (struct block){.address = address, .length = length, .next = *bucket};
	return *bucket = new;
}

static void remember_blocks(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct block *known = blocks[i]; known; known = known->next)
			known->before = known->times;
}

static void write_blocks(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct block *known = blocks[i]; known; known = known->next)
			if (known->times > known->before)
				fprintf(profile, "block %lu %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", windows,
					known->address, known->length, known->times - known->before);
}

static void write_counts(const char *what, struct counts from)
{
	uint64_t repeated = now.repeated - from.repeated;

	fprintf(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", what,
		now.kernel - from.kernel - repeated, repeated, now.user - from.user);
}

static void at_marker(unsigned int cpu, void *kind)
{
	(void)cpu;
	if (!kind && !within) {
		if (!windows)
			write_counts("boot", (struct counts){0});
		if (profile)
			remember_blocks();
		within = true;
		opened = now;
	} else if (kind && within) {
		write_counts("window", opened);
		if (profile)
			write_blocks();
		within = false;
		windows++;
	} else {
		fprintf(out, "misplaced %s\n", kind ? "end" : "begin");
	}
}

#ifdef AARCH64

static bool repeats(const uint8_t *code, size_t size)
{
	(void)code;
	(void)size;
	return false;
}

enum { OPENING = 0x3f, CLOSING = 0x5f }; /* the first byte of a marker */

static bool marks(const uint8_t *code, size_t size)
{
	return size == 4 && (code[0] == OPENING || code[0] == CLOSING) && code[1] == 0x68 &&
	       code[2] == 0x89 && code[3] == 0xd2;
}

static uintptr_t kind_of(const uint8_t *code)
{
	return code[0] == CLOSING;
}

#else

/* A string instruction with its prefix: nothing but prefixes stand before the code of one byte. */
static bool repeats(const uint8_t *code, size_t size)
{
	uint8_t last = code[size - 1];

	if (size < 2 || size > 4 || (code[0] != 0xf2 && code[0] != 0xf3))
		return false;
	for (size_t i = 1; i + 1 < size; i++)
		if (code[i] != 0x66 && (code[i] & 0xf0) != 0x40) /* an operand's size, REX */
			return false;
	return (last >= 0xa4 && last <= 0xa7) || (last >= 0xaa && last <= 0xaf) ||
	       (last >= 0x6c && last <= 0x6f);
}

static const uint8_t marker[] = {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x41, 0x4b};
enum { KIND = 4 }; /* which of its bytes tells an opening from a closing one */

static bool marks(const uint8_t *code, size_t size)
{
	return size == sizeof(marker) && !memcmp(code, marker, KIND) && code[KIND] <= 1 &&
	       !memcmp(code + KIND + 1, marker + KIND + 1, sizeof(marker) - KIND - 1);
}

static uintptr_t kind_of(const uint8_t *code)
{
	return code[KIND];
}

#endif

static void at_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t length = qemu_plugin_tb_n_insns(tb);
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	bool kernel = address >> 63;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD, kernel ? &now.kernel : &now.user, length);
	if (kernel && profile)
		qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD, &block_at(address, length)->times, 1);
	for (size_t i = 0; i < length; i++) {
		struct qemu_plugin_insn *one = qemu_plugin_tb_get_insn(tb, i);
		const uint8_t *code = qemu_plugin_insn_data(one);
		size_t size = qemu_plugin_insn_size(one);

		if (kernel && repeats(code, size))
			qemu_plugin_register_vcpu_insn_exec_inline(one, ADD, &now.repeated, 1);
		else if (!kernel && marks(code, size))
			qemu_plugin_register_vcpu_insn_exec_cb(one, at_marker, NO_REGISTERS,
				(void *)kind_of(code));
	}
}

static void at_exit(qemu_plugin_id_t id, void *unused)
{
	(void)id;
	(void)unused;
	fprintf(out, "end\n");
	if (fclose(out) || (profile && fclose(profile)))
		fprintf(stderr, "count: a file could not be written\n");
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
	const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "blocks=", 7) && !(profile = fopen(argv[i] + 7, "w")))
			return -1;
	}
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
