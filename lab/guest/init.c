/*
 * The only program of the guest. It is told how by words behind `--` of the boot line:
 *
 *     seed=N          shifts what should make no difference: process numbers, memory, the clock
 *     write=PATH=TEXT a setting of run time, written before anything is counted
 *     list=symbols    prints the kernel's symbols in place of measuring
 *     nothing         ends at once (what fork-exec runs)
 *
 * What it reports goes to the second serial line: `window:NAME OPERATIONS`, in the order in which
 * they are counted, and then what the kernel tells of itself, `PATH:TEXT` for each line of each
 * file. `end:` is the last line.
 */
#define _GNU_SOURCE
#include "windows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { REPETITIONS = 3, SETTLING = 20 /* seconds */, LONGEST = 256 /* of a file in the report */ };

static FILE *report;

/* Instructions that do nothing and that no compiler makes; count.c looks for them. */
#ifdef __aarch64__
#define OPEN_WINDOW() __asm__ volatile("movz xzr, #0x4b41" ::: "memory")
#define CLOSE_WINDOW() __asm__ volatile("movz xzr, #0x4b42" ::: "memory")
#else
#define OPEN_WINDOW() __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,0x00,0x00,0x41,0x4b" ::: "memory")
#define CLOSE_WINDOW() __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,0x01,0x00,0x41,0x4b" ::: "memory")
#endif

static void stop(void)
{
	fflush(report);
	tcdrain(fileno(report));
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

void fail(const char *what)
{
	fprintf(report, "failed:%s: %s\n", what, strerror(errno));
	stop();
	__builtin_unreachable();
}

/* A fifth of it first, so that what is done once is done. */
static void count(const struct window *window)
{
	if (window->prepare && !window->prepare())
		return;
	window->work(window->operations / 5 + 1);
	OPEN_WINDOW();
	window->work(window->operations);
	CLOSE_WINDOW();
	fprintf(report, "window:%s %d\n", window->name, window->operations);
	fflush(report);
	if (window->finish)
		window->finish();
}

static void mount_all(void)
{
	static const char *const all[][2] = {
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/tmp"},
		{"debugfs", "/sys/kernel/debug"}, {"tracefs", "/sys/kernel/tracing"},
		{"securityfs", "/sys/kernel/security"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		mkdir(all[i][1], 0755);
		mount(all[i][0], all[i][1], all[i][0], 0, NULL); /* those that this kernel has */
	}
}

static void open_report(void)
{
	struct termios raw;
	int line = open("/dev/ttyS1", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (line < 0 || tcgetattr(line, &raw))
		reboot(RB_AUTOBOOT);
	cfmakeraw(&raw);
	tcsetattr(line, TCSANOW, &raw);
	report = fdopen(line, "w");
}

static void loopback_up(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int any = socket(AF_INET, SOCK_DGRAM, 0);

	if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request))
		fail("lo");
	close(any);
}

static void shift(int seed)
{
	for (int i = 0; i < seed; i++) {
		struct timespec a_while = {.tv_nsec = 137000 + 11000 * i};
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		nanosleep(&a_while, NULL);
		if (!malloc(3 * 4096))
			fail("seed");
	}
}

static void write_setting(char *path)
{
	char *text = strchr(path, '=');
	int file;

	if (!text)
		fail(path);
	*text++ = 0;
	file = open(path, O_WRONLY);
	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		fail(path);
	close(file);
}

/* Long files are cut: none of those that matter is one. */
static void tell_file(const char *path, int lines)
{
	char line[1024];
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	while (lines-- && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		fprintf(report, "%s:%s\n", path, line);
	}
	if (ferror(file))
		fprintf(report, "%s:cannot be read: %s\n", path, strerror(errno));
	fclose(file);
}

/*
 * All files of a folder and, so many levels down, of those in it; links are not followed, nor what
 * a module is made of.
 */
static void tell_folder(const char *path, int levels)
{
	struct dirent **names;
	int number = scandir(path, &names, NULL, alphasort);

	for (int i = 0; i < number; i++) {
		char inner[4096];
		struct stat is;

		snprintf(inner, sizeof(inner), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && strcmp(names[i]->d_name, "notes") &&
		    strcmp(names[i]->d_name, "sections") && !lstat(inner, &is)) {
			if (S_ISREG(is.st_mode) && is.st_mode & 0444)
				tell_file(inner, 8);
			else if (S_ISDIR(is.st_mode) && levels)
				tell_folder(inner, levels - 1);
		}
		free(names[i]);
	}
	if (number >= 0)
		free(names);
}

/* What the kernel's side of audit says of itself. */
static void tell_audit(void)
{
	struct {
		struct nlmsghdr header;
		struct audit_status status;
		char more[256];
	} message = {.header = {.nlmsg_len = NLMSG_HDRLEN, .nlmsg_type = AUDIT_GET,
				.nlmsg_flags = NLM_F_REQUEST}};
	int audit = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);

	if (audit < 0 || send(audit, &message, NLMSG_HDRLEN, 0) < 0 ||
	    recv(audit, &message, sizeof(message), 0) < NLMSG_HDRLEN)
		fprintf(report, "audit:absent\n");
	else if (message.header.nlmsg_type == AUDIT_GET)
		fprintf(report, "audit:enabled %u\n", message.status.enabled);
	else
		fprintf(report, "audit:refused\n");
	if (audit >= 0)
		close(audit);
}

static void tell_messages(void)
{
	static char log[1 << 20];
	int length = klogctl(3, log, sizeof(log) - 1);
	char *next = log;

	for (char *line; length > 0 && (line = strsep(&next, "\n")) != NULL;)
		if (*line)
			fprintf(report, "message:%s\n", line);
}

static void tell_all(void)
{
	static const char *const files[] = {
		"/proc/cmdline", "/proc/version", "/proc/cgroups", "/proc/meminfo", "/proc/timer_list",
		"/proc/interrupts", "/proc/pressure/cpu", "/proc/self/mountinfo", "/proc/self/status",
		"/proc/filesystems", "/sys/kernel/tracing/current_tracer", "/sys/kernel/tracing/set_event",
		"/sys/kernel/rcu_expedited", "/sys/kernel/rcu_normal", "/sys/power/state",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tell_file(files[i], LONGEST);
	tell_folder("/proc/sys", 4);
	tell_folder("/sys/kernel/mm", 3);
	tell_folder("/sys/kernel/security", 0);
	tell_folder("/sys/kernel/slab/kmalloc-8k", 0);
	tell_folder("/sys/kernel/debug/sched", 0);
	tell_folder("/sys/devices/system/clocksource/clocksource0", 0);
	tell_folder("/sys/devices/virtual/workqueue", 0);
	tell_folder("/sys/module", 2);
	tell_audit();
	tell_messages();
}

static void list_symbols(void)
{
	char line[1024], name[512], kind;
	unsigned long address;
	FILE *all = fopen("/proc/kallsyms", "r");

	if (!all)
		fail("/proc/kallsyms");
	while (fgets(line, sizeof(line), all))
		if (sscanf(line, "%lx %c %511s", &address, &kind, name) == 3 && strchr("tTwW", kind))
			fprintf(report, "symbol:%lx %s\n", address, name);
	fclose(all);
}

/* Twenty seconds of the guest's clock, which cost nothing: until the kernel's own work is done. */
static void settle(void)
{
	struct timespec until = {.tv_sec = SETTLING};

	nanosleep(&until, NULL);
}

int main(int argc, char **argv)
{
	int seed = 0;

	if (argc > 1 && !strcmp(argv[1], "nothing"))
		return 0;
	mount_all();
	open_report();
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "write=", 6)) {
			write_setting(argv[i] + 6);
		} else if (!strncmp(argv[i], "seed=", 5)) {
			seed = atoi(argv[i] + 5);
		} else if (!strcmp(argv[i], "list=symbols")) {
			list_symbols();
			fprintf(report, "end:\n");
			stop();
		} else {
			errno = EINVAL;
			fail(argv[i]);
		}
	}
	loopback_up();
	shift(seed);
	settle();
	for (int i = 0; i < REPETITIONS; i++)
		for (int w = 0; w < number_of_windows; w++)
			count(&windows[w]);
	tell_all();
	fprintf(report, "end:\n");
	stop();
}
