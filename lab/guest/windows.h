#ifndef WINDOWS_H
#define WINDOWS_H

/*
 * One thing that programs do all the time, to be counted: `work` does it so many times. What
 * `prepare` and `finish` do is not counted; `prepare` answers whether this kernel can do it.
 */
struct window {
	const char *name;
	int operations;
	void (*work)(int times);
	int (*prepare)(void);
	void (*finish)(void);
};

extern const struct window windows[];
extern const int number_of_windows;

/* Ends the measurement with what went wrong, and errno. */
void fail(const char *what) __attribute__((noreturn));

#endif
