"""`weir-spark` as it is typed, without a cluster."""

from types import SimpleNamespace

import pytest
from webweir.spark import __main__ as command
from webweir.spark.settings import prepare

TYPED = "http://typed.example/"


@pytest.mark.parametrize("verb", ["crawl", "recrawl"])
@pytest.mark.parametrize("is_done, code", [(True, 0), (False, 4)])
def test_the_exit_code_says_whether_a_crawl_is_done_or_can_go_on(monkeypatch, verb, is_done, code):
    crawled = SimpleNamespace(manifest=SimpleNamespace(is_done=is_done))
    monkeypatch.setattr(command, f"_{verb}", lambda _: crawled)
    assert command.main([verb, "http://a.example/", "--max-pages", "5"]) == code


@pytest.mark.parametrize("verb", ["crawl", "recrawl"])
def test_ctrl_c_is_no_failure_and_it_says_how_to_go_on(monkeypatch, capsys, verb):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, f"_{verb}", interrupted)
    assert command.main([verb, TYPED]) == 4
    assert capsys.readouterr().err == "stopped early; run the same command to go on\n"
    assert command.main([verb, TYPED, "--quiet"]) == 4
    assert capsys.readouterr().err == ""


def test_a_weir_toml_that_is_not_utf_8_is_wrong_use(tmp_path, capsys):
    file = tmp_path / "weir.toml"
    file.write_bytes('user-agent = "Müller"\n'.encode("latin-1"))
    assert command.main(["crawl", TYPED, "-c", str(file)]) == 2
    told = capsys.readouterr().err
    assert str(file) in told and "save it as UTF-8" in told and "Traceback" not in told


def test_a_setting_of_spark_without_a_value_is_wrong_use(capsys):
    assert command.main(["crawl", TYPED, "--conf", "spark.ui.enabled"]) == 2
    assert "--conf spark.ui.enabled: write KEY=VALUE" in capsys.readouterr().err


def test_typed_urls_take_the_place_of_urls_in_the_file_as_the_help_says(tmp_path):
    (tmp_path / "seeds.txt").write_text("http://listed.example/\n")
    file = tmp_path / "weir.toml"
    file.write_text(
        f'urls = ["http://filed.example/"]\nseeds = "{tmp_path}/seeds.txt"\n'
        '[[site]]\nname = "site.example"\nurls = ["http://site.example/"]\n'
    )
    seeds = prepare(str(file), urls=[TYPED]).seeds
    assert sorted(seeds) == ["http://listed.example/", "http://site.example/", TYPED]
    assert "http://filed.example/" in prepare(str(file)).seeds


@pytest.mark.parametrize("verb", ["crawl", "recrawl"])
def test_the_help_tells_what_becomes_of_urls_in_the_file(capsys, verb):
    with pytest.raises(SystemExit):
        command.main([verb, "--help"])
    assert "instead of the `urls` of weir.toml" in " ".join(capsys.readouterr().out.split())
