/*
 * What is counted. A window says in its name what one operation is; every file is on tmpfs, and
 * every peer on the same processor. Where a call fails, the measurement ends.
 */
#define _GNU_SOURCE
#include "windows.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NEED(call)                                                                                 \
	({                                                                                         \
		long need_ = (long)(call);                                                         \
		if (need_ < 0)                                                                     \
			fail(#call);                                                               \
		need_;                                                                             \
	})
#define TIMES(times) for (int i_ = 0; i_ < (times); i_++)

enum { PAGE = 4096, MEGABYTE = 1 << 20 };

static char buffer[PAGE];
static int zero, null, file;   /* open all the time */
static int ends[2], back[2];   /* of pipes and sockets */
static pid_t child;

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0)
		if (errno != EINTR)
			fail("waitpid");
}

/* Nothing but user mode: what is counted in the kernel here is the timer's. */
static void spin(int times)
{
	for (volatile int i = 0; i < times; i++)
		;
}

static void clock_read(int times)
{
	struct timespec now;

	TIMES(times) clock_gettime(CLOCK_MONOTONIC, &now);
}

static void getppid_call(int times)
{
	TIMES(times) syscall(SYS_getppid);
}

/* The same behind a filter that allows everything, in a child, since a filter is for good. */
static int filtered_prepare(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {.len = 1, .filter = &allow};

	child = start();
	if (child) {
		wait_for(child);
		return 0;
	}
	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void filtered_finish(void)
{
	_exit(0);
}

static int devices_prepare(void)
{
	zero = NEED(open("/dev/zero", O_RDONLY));
	null = NEED(open("/dev/null", O_WRONLY));
	return 1;
}

static void devices_finish(void)
{
	close(zero);
	close(null);
}

static void read_byte(int times)
{
	TIMES(times) NEED(read(zero, buffer, 1));
}

static void read_write_page(int times)
{
	TIMES(times)
	{
		NEED(read(zero, buffer, PAGE));
		NEED(write(null, buffer, PAGE));
	}
}

static void random_bytes(int times)
{
	TIMES(times) NEED(getrandom(buffer, 32, 0));
}

static int file_prepare(void)
{
	file = NEED(open("/tmp/file", O_CREAT | O_RDWR | O_TRUNC, 0600));
	TIMES(MEGABYTE / PAGE) NEED(write(file, buffer, PAGE));
	return 1;
}

static void file_finish(void)
{
	close(file);
	unlink("/tmp/file");
}

static void open_close(int times)
{
	TIMES(times) close(NEED(open("/tmp/file", O_RDONLY)));
}

static void stat_file(int times)
{
	struct stat status;

	TIMES(times) NEED(stat("/tmp/file", &status));
}

static void create_unlink(int times)
{
	TIMES(times)
	{
		close(NEED(open("/tmp/new", O_CREAT | O_RDWR, 0600)));
		NEED(unlink("/tmp/new"));
	}
}

static void page_read(int times)
{
	TIMES(times) NEED(pread(file, buffer, PAGE, (i_ % 256) * PAGE));
}

static void file_write_megabyte(int times)
{
	TIMES(times)
	{
		int written = NEED(open("/tmp/big", O_CREAT | O_WRONLY, 0600));

		for (int i = 0; i < MEGABYTE / PAGE; i++)
			NEED(write(written, buffer, PAGE));
		close(written);
		NEED(unlink("/tmp/big"));
	}
}

static char *map(size_t length, int flags, int from)
{
	char *at = mmap(NULL, length, PROT_READ | PROT_WRITE, flags, from, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

static void touch(char *from, size_t length)
{
	for (size_t i = 0; i < length; i += PAGE)
		*(volatile char *)(from + i) = 1;
}

static void file_map(int times)
{
	TIMES(times)
	{
		char *at = map(64 * PAGE, MAP_SHARED, file);

		touch(at, 64 * PAGE);
		NEED(munmap(at, 64 * PAGE));
	}
}

static void map_touch_unmap(int times)
{
	TIMES(times)
	{
		char *at = map(PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		*(volatile char *)at = 1;
		NEED(munmap(at, PAGE));
	}
}

/* Faults of 1024 small pages, whatever is set of huge ones. */
static void page_faults(int times)
{
	enum { LENGTH = 1024 * PAGE };

	TIMES(times)
	{
		char *at = map(LENGTH, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		madvise(at, LENGTH, MADV_NOHUGEPAGE); /* fails where there are none */
		touch(at, LENGTH);
		NEED(munmap(at, LENGTH));
	}
}

/* So many megabytes of new memory as a program gets it that says nothing of pages. */
static void new_megabyte(int times)
{
	char *at = map((size_t)times * MEGABYTE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	touch(at, (size_t)times * MEGABYTE);
	NEED(munmap(at, (size_t)times * MEGABYTE));
}

static void fork_exit(int times)
{
	TIMES(times)
	{
		pid_t pid = start();

		if (!pid)
			_exit(0);
		wait_for(pid);
	}
}

static void fork_exec(int times)
{
	TIMES(times)
	{
		pid_t pid = start();

		if (!pid) {
			execl("/init", "init", "nothing", (char *)NULL);
			_exit(1);
		}
		wait_for(pid);
	}
}

static void cgroup_fork(int times)
{
	TIMES(times)
	{
		int group;
		struct clone_args arguments = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD};
		pid_t pid;

		NEED(mkdir("/cgroup/one", 0755));
		group = NEED(open("/cgroup/one", O_RDONLY | O_DIRECTORY));
		arguments.cgroup = group;
		pid = NEED(syscall(SYS_clone3, &arguments, sizeof(arguments)));
		if (!pid)
			_exit(0);
		wait_for(pid);
		close(group);
		NEED(rmdir("/cgroup/one"));
	}
}

static int cgroup_prepare(void)
{
	mkdir("/cgroup", 0755);
	return mount("cgroup", "/cgroup", "cgroup2", 0, NULL) == 0;
}

static void cgroup_finish(void)
{
	NEED(umount("/cgroup"));
}

/* Two processes that hand a byte to and fro. */
static void answer(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			break;
	_exit(0);
}

static int pipe_prepare(void)
{
	NEED(pipe(ends));
	NEED(pipe(back));
	child = start();
	if (!child) {
		close(ends[1]);
		close(back[0]);
		answer(ends[0], back[1]);
	}
	close(ends[0]);
	close(back[1]);
	return 1;
}

static void pipe_round_trip(int times)
{
	TIMES(times)
	{
		NEED(write(ends[1], buffer, 1));
		NEED(read(back[0], buffer, 1));
	}
}

static void pipe_finish(void)
{
	close(ends[1]);
	close(back[0]);
	wait_for(child);
}

static int bound(int type, struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int made = NEED(socket(AF_INET, type, 0));

	*address = (struct sockaddr_in){.sin_family = AF_INET};
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	NEED(bind(made, (struct sockaddr *)address, length));
	NEED(getsockname(made, (struct sockaddr *)address, &length));
	return made;
}

static int tcp_prepare(void)
{
	struct sockaddr_in address;
	int listening = bound(SOCK_STREAM, &address), at_once = 1;

	NEED(listen(listening, 1));
	child = start();
	if (!child) {
		int peer = NEED(accept(listening, NULL, NULL));

		setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
		answer(peer, peer);
	}
	ends[0] = NEED(socket(AF_INET, SOCK_STREAM, 0));
	NEED(connect(ends[0], (struct sockaddr *)&address, sizeof(address)));
	setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
	close(listening);
	return 1;
}

static void tcp_round_trip(int times)
{
	TIMES(times)
	{
		NEED(write(ends[0], buffer, 1));
		NEED(read(ends[0], buffer, 1));
	}
}

static void tcp_finish(void)
{
	close(ends[0]);
	wait_for(child);
}

static int udp_prepare(void)
{
	struct sockaddr_in address;

	ends[0] = bound(SOCK_DGRAM, &address);
	ends[1] = NEED(socket(AF_INET, SOCK_DGRAM, 0));
	NEED(connect(ends[1], (struct sockaddr *)&address, sizeof(address)));
	return 1;
}

static void udp_send_receive(int times)
{
	TIMES(times)
	{
		NEED(send(ends[1], buffer, 64, 0));
		NEED(recv(ends[0], buffer, 64, 0));
	}
}

static void ends_finish(void)
{
	close(ends[0]);
	close(ends[1]);
}

/* hackbench in small: four senders write 100 messages of 100 bytes to each of four receivers. */
enum { PEERS = 4, MESSAGES = 100, BYTES = 100 };

static void receive_all(int from)
{
	for (long left = (long)PEERS * MESSAGES * BYTES; left > 0;) {
		ssize_t got = read(from, buffer, BYTES);

		if (got <= 0)
			_exit(1);
		left -= got;
	}
	_exit(0);
}

static void send_all(int pairs[PEERS][2])
{
	for (int i = 0; i < MESSAGES; i++)
		for (int to = 0; to < PEERS; to++)
			if (write(pairs[to][1], buffer, BYTES) != BYTES)
				_exit(1);
	_exit(0);
}

static void hackbench(int times)
{
	TIMES(times)
	{
		int pairs[PEERS][2];
		pid_t pids[2 * PEERS];

		for (int i = 0; i < PEERS; i++)
			NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]));
		for (int i = 0; i < 2 * PEERS; i++) {
			pids[i] = start();
			if (!pids[i] && i < PEERS)
				receive_all(pairs[i][0]);
			if (!pids[i])
				send_all(pairs);
		}
		for (int i = 0; i < 2 * PEERS; i++)
			wait_for(pids[i]);
		for (int i = 0; i < PEERS; i++) {
			close(pairs[i][0]);
			close(pairs[i][1]);
		}
	}
}

static void on_signal(int number)
{
	(void)number;
}

static int signal_prepare(void)
{
	signal(SIGUSR1, on_signal);
	return 1;
}

static void signal_self(int times)
{
	pid_t own = getpid();

	TIMES(times) NEED(kill(own, SIGUSR1));
}

/* epoll over 256 descriptors, of which one has something. */
enum { WATCHED = 256 };
static int poll_all, watched[WATCHED];

static int epoll_prepare(void)
{
	poll_all = NEED(epoll_create1(0));
	for (int i = 0; i < WATCHED; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = i};

		watched[i] = NEED(eventfd(0, EFD_NONBLOCK));
		NEED(epoll_ctl(poll_all, EPOLL_CTL_ADD, watched[i], &event));
	}
	return 1;
}

static void epoll_empty(int times)
{
	struct epoll_event event;

	TIMES(times) NEED(epoll_wait(poll_all, &event, 1, 0));
}

static void epoll_one_of_256(int times)
{
	TIMES(times)
	{
		struct epoll_event event;
		uint64_t value = 1;

		NEED(write(watched[i_ * 7 % WATCHED], &value, sizeof(value)));
		NEED(epoll_wait(poll_all, &event, 1, 0));
		NEED(read(watched[event.data.fd], &value, sizeof(value)));
	}
}

static void epoll_finish(void)
{
	for (int i = 0; i < WATCHED; i++)
		close(watched[i]);
	close(poll_all);
}

static uint32_t *word; /* shared with a child */

static long futex(uint32_t *at, int operation, uint32_t value)
{
	return syscall(SYS_futex, at, operation, value, NULL, NULL, 0);
}

static void futex_wake_nobody(int times)
{
	TIMES(times) NEED(futex(word, FUTEX_WAKE, 1));
}

/* Whose turn it is not waits; the word tells: 0 the parent's, 1 the child's. */
static void take_turn(uint32_t mine, uint32_t next)
{
	for (;;) {
		uint32_t turn = __atomic_load_n(word, __ATOMIC_SEQ_CST);

		if (turn == mine)
			break;
		futex(word, FUTEX_WAIT, turn);
	}
	__atomic_store_n(word, next, __ATOMIC_SEQ_CST);
	NEED(futex(word, FUTEX_WAKE, 1));
}

static int word_prepare(void)
{
	word = (uint32_t *)map(PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
	return 1;
}

static int futex_prepare(void)
{
	word_prepare();
	child = start();
	if (!child)
		for (;;)
			take_turn(1, 0);
	return 1;
}

static void futex_hand_over(int times)
{
	TIMES(times) take_turn(0, 1);
}

static void word_finish(void)
{
	NEED(munmap(word, PAGE));
}

static void futex_finish(void)
{
	kill(child, SIGKILL);
	wait_for(child);
	word_finish();
}

static int yield_prepare(void)
{
	child = start();
	if (!child)
		for (;;)
			sched_yield();
	return 1;
}

static void yield(int times)
{
	TIMES(times) sched_yield();
}

static void child_finish(void)
{
	kill(child, SIGKILL);
	wait_for(child);
}

static int timer_prepare(void)
{
	file = NEED(timerfd_create(CLOCK_MONOTONIC, 0));
	return 1;
}

/* Arms a timer for far away, and disarms it. */
static void timer_set(int times)
{
	struct itimerspec far = {.it_value.tv_sec = 1000}, never = {0};

	TIMES(times)
	{
		NEED(timerfd_settime(file, 0, &far, NULL));
		NEED(timerfd_settime(file, 0, &never, NULL));
	}
}

static void timer_finish(void)
{
	close(file);
}

/* To sleep, idle, and woken by the timer: a fifth of a millisecond. */
static void sleep_wake(int times)
{
	struct timespec while_ = {.tv_nsec = 200000};

	TIMES(times) nanosleep(&while_, NULL);
}

static int ring;
static struct io_uring_params ring_is;
static char *submissions, *completions;
static struct io_uring_sqe *entries;

static unsigned int *in_ring(char *in, unsigned int offset)
{
	return (unsigned int *)(in + offset);
}

static int ring_prepare(void)
{
	ring_is = (struct io_uring_params){0};
	ring = syscall(SYS_io_uring_setup, 8, &ring_is);
	if (ring < 0)
		return 0;
	submissions = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	completions = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	entries = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (submissions == MAP_FAILED || completions == MAP_FAILED || entries == MAP_FAILED)
		fail("mmap of a ring");
	return 1;
}

static void ring_nop(int times)
{
	TIMES(times)
	{
		unsigned int *tail = in_ring(submissions, ring_is.sq_off.tail);
		unsigned int at = *tail & *in_ring(submissions, ring_is.sq_off.ring_mask);

		entries[at] = (struct io_uring_sqe){.opcode = IORING_OP_NOP};
		in_ring(submissions, ring_is.sq_off.array)[at] = at;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		NEED(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0));
		*in_ring(completions, ring_is.cq_off.head) += 1;
	}
}

static void ring_finish(void)
{
	munmap(submissions, PAGE);
	munmap(completions, PAGE);
	munmap(entries, PAGE);
	close(ring);
}

static void proc_read(int times)
{
	TIMES(times)
	{
		int stat_ = NEED(open("/proc/self/stat", O_RDONLY));

		NEED(read(stat_, buffer, PAGE));
		close(stat_);
	}
}

const struct window windows[] = {
	{"spin", 400000, spin, NULL, NULL},
	{"clock-read", 5000, clock_read, NULL, NULL},
	{"getppid", 6000, getppid_call, NULL, NULL},
	{"getppid-filtered", 4000, getppid_call, filtered_prepare, filtered_finish},
	{"read-byte", 5000, read_byte, devices_prepare, devices_finish},
	{"read-write-page", 3000, read_write_page, devices_prepare, devices_finish},
	{"getrandom-32", 3000, random_bytes, NULL, NULL},
	{"open-close", 1000, open_close, file_prepare, file_finish},
	{"stat", 2000, stat_file, file_prepare, file_finish},
	{"create-unlink", 1000, create_unlink, NULL, NULL},
	{"page-read", 2000, page_read, file_prepare, file_finish},
	{"file-write-MiB", 8, file_write_megabyte, NULL, NULL},
	{"file-map-64-pages", 200, file_map, file_prepare, file_finish},
	{"map-touch-unmap", 2000, map_touch_unmap, NULL, NULL},
	{"page-faults-1024", 6, page_faults, NULL, NULL},
	{"new-MiB", 16, new_megabyte, NULL, NULL},
	{"fork-exit", 120, fork_exit, NULL, NULL},
	{"fork-exec", 50, fork_exec, NULL, NULL},
	{"cgroup-fork", 30, cgroup_fork, cgroup_prepare, cgroup_finish},
	{"pipe-round-trip", 4000, pipe_round_trip, pipe_prepare, pipe_finish},
	{"tcp-round-trip", 400, tcp_round_trip, tcp_prepare, tcp_finish},
	{"udp-send-receive", 800, udp_send_receive, udp_prepare, ends_finish},
	{"hackbench", 2, hackbench, NULL, NULL},
	{"signal", 2000, signal_self, signal_prepare, NULL},
	{"epoll-empty", 4000, epoll_empty, epoll_prepare, epoll_finish},
	{"epoll-one-of-256", 1500, epoll_one_of_256, epoll_prepare, epoll_finish},
	{"futex-wake-nobody", 4000, futex_wake_nobody, word_prepare, word_finish},
	{"futex-hand-over", 1000, futex_hand_over, futex_prepare, futex_finish},
	{"yield", 1500, yield, yield_prepare, child_finish},
	{"timer-set", 1500, timer_set, timer_prepare, timer_finish},
	{"sleep-wake", 300, sleep_wake, NULL, NULL},
	{"io-uring-nop", 2000, ring_nop, ring_prepare, ring_finish},
	{"proc-read", 400, proc_read, NULL, NULL},
};
const int number_of_windows = sizeof(windows) / sizeof(windows[0]);
