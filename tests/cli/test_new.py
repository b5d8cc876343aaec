"""`rules new` and `profiles new`, as somebody types them."""

from __future__ import annotations


def test_a_rule_and_a_profile_that_lint(run_inside, tmp_path):
    rules, profiles = tmp_path / "mine/rules", tmp_path / "mine/profiles"
    made = run_inside("rules", "new", "PRINTK_CALLER", "--rules", rules)
    assert (made.code, made.stdout) == (0, f"{rules}/printk-caller.toml\n")
    made = run_inside("profiles", "new", "render-farm", "--profiles", profiles)
    assert (made.code, made.stdout) == (0, f"{profiles}/render-farm.toml\n")
    told = run_inside("lint", tmp_path / "mine")
    assert told.stdout == "1 tunables, 0 parameters, 1 profiles, 4 examples: all right\n"


def test_a_folder_of_the_place_where_one_stands(run_inside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_inside("rules", "new", "PRINTK_CALLER").stdout == "rules/printk-caller.toml\n"
    assert (tmp_path / "rules/printk-caller.toml").exists()


def test_new_needs_a_name(run_inside):
    made = run_inside("rules", "new")
    assert (made.code, made.stdout) == (2, "")
    assert "new needs a NAME (kernel-advisor rules new NAME)" in made.stderr


def test_the_folder_alone_says_where_it_goes(run_inside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in ("rules", "profiles"):
        made = run_inside(command, "new", "PRINTK_CALLER", "-o", "mine.toml")
        assert (made.code, made.stdout) == (2, "")
        assert f"--{command} FOLDER says where it goes" in made.stderr
    assert not [*tmp_path.iterdir()]


def test_a_folder_in_the_form_of_today(run_inside, own):
    done = run_inside("rules", "convert", own)
    assert (done.code, done.stderr) == (0, "")
    assert f"{own}/rules/area/widget.toml: 27 lines are 23 now\n" in done.stdout
    assert run_inside("rules", "convert", own).stdout == ""


def test_convert_needs_a_folder(run_inside, tmp_path):
    done = run_inside("rules", "convert")
    assert (done.code, done.stdout) == (2, "")
    assert "convert needs a DIR" in done.stderr
    done = run_inside("rules", "convert", tmp_path / "none")
    assert (done.code, done.stdout) == (4, "")
    assert "is no directory of rules or profiles" in done.stderr
